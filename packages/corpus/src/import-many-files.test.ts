import assert from "node:assert/strict"
import { subscribe } from "node:diagnostics_channel"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after, test } from "node:test"
import { IDENTITY_TAGS, identityKey } from "@assay/core/identity"
import { type DataDirectory, openDataDirectory } from "@assay/runtime/data-directory"
import { deriveSecrets, sha256 } from "@assay/runtime/secrets"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { importCorpus } from "./import.ts"
import type { ImportReport } from "./import-request.ts"
import { openSegmentReader } from "./segments/segment.ts"

const temporary = mkdtempSync(join(tmpdir(), "assay-many-files-"))
after(() => rmSync(temporary, { recursive: true, maxRetries: 5 }))
const secrets = deriveSecrets(Buffer.alloc(32, 7))

let started = 0
subscribe("child_process", () => void started++)

async function imported(
  directory: DataDirectory,
  path: string,
): Promise<ImportReport & { readonly processes: number }> {
  const before = started
  const ignored = (): void => undefined
  const report = await importCorpus(
    {
      paths: [path],
      hints: { map: {} },
      source: { name: "s", date: "2025-01-01" },
      rejects: null,
      memoryMb: 128,
      wait: false,
      importedBy: "ada",
    },
    {
      ...{ directory, secrets, program: process, pid: process.pid, now: Date.now },
      signal: new AbortController().signal,
      openIndex: () => openLmdbIndex({ path: directory.index }),
      audit: async () => undefined,
      compact: async () => undefined,
    },
    {
      waits: () => assert.fail("nobody else imports"),
      ...{ examined: ignored, resumes: ignored, progress: ignored },
      ...{ compacts: ignored, unfinished: ignored },
    },
  )
  return { ...report, processes: started - before }
}

/**
 * Lists, logs, tables and other texts, with lines that are rejected, and people in several of them.
 */
function fileOf(n: number): { name: string; text: string | Buffer } {
  const [one, other] = [`user${n}@mail.example`, `user${n + 1}@mail.example`]
  const log = `URL: https://a.example\nLogin: ${one}\nPassword: p-${n}\n===\nPassword: alone\n`
  switch (n % 6) {
    case 0:
      return {
        name: `${n}/list.txt`,
        text: `${one}:p-${n}\nno delimiter\n${other}:p\n${one}:p-${n}\n`,
      }
    case 1:
      return { name: `${n}/Passwords.txt`, text: log }
    case 2:
      return {
        name: `${n}/table.csv`,
        text: `email,password\n${one},p-${n}\nnobody,x\n${other},\n`,
      }
    case 3:
      return {
        name: `${n}/wide.txt`,
        text: Buffer.from(`\ufeff${one}:ü-${n}\r\n@:x\r\n`, "utf16le"),
      }
    case 4:
      return { name: `${n}/rows.ndjson`, text: `{"email":"${one}","password":"p"}\n{}\n` }
    default:
      return { name: `${n}/picture.jpg`, text: Buffer.from([0xff, 0xd8, n, 0]) }
  }
}

function folderOf(name: string, count: number): { folder: string; files: string[] } {
  const folder = join(temporary, name)
  const files = Array.from({ length: count }, (_, n) => {
    const { name: file, text } = fileOf(n)
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  })
  return { folder, files }
}

/** What the index says of each person, without which batch said it. */
async function heldOf(directory: DataDirectory, people: number): Promise<unknown[]> {
  const index = await openLmdbIndex({ path: directory.index, readOnly: true })
  try {
    const held: unknown[] = []
    for (let n = 0; n < people; n++) {
      const email = `user${n}@mail.example`
      const key = identityKey(sha256, secrets.subkeys.identity, IDENTITY_TAGS.email, email)
      const { entries } = await index.holdings(key)
      const texts = entries.map(({ batchId: _, ...entry }) => JSON.stringify(entry))
      held.push([...new Set(texts)].sort())
    }
    return held
  } finally {
    await index.close()
  }
}

/** The rows of a segment, in its order. */
async function rowsIn(directory: DataDirectory, { batch }: ImportReport): Promise<string[]> {
  const reader = await openSegmentReader()
  const rows: string[] = []
  for await (const { count, keys, heads } of reader.blocks(
    join(directory.segments, batch.segment?.file ?? ""),
  )) {
    for (let row = 0; row < count; row++)
      rows.push(
        Buffer.concat([
          keys.subarray(row * 16, row * 16 + 16),
          heads.subarray(row * 8, row * 8 + 8),
        ]).toString("hex"),
      )
  }
  reader.close()
  return rows
}

/** By the place of the file among those of its import. */
function rejectsIn({ rejects }: ImportReport): [number, string][] {
  if (!existsSync(rejects)) return []
  const [, ...lines] = readFileSync(rejects, "utf8").trimEnd().split("\n")
  return lines.map((line) => [Number(line.split(",")[0]), line.slice(line.indexOf(",") + 1)])
}

test("a folder of many small files is imported by as many processes as one file is", async () => {
  const list = join(temporary, "one.txt")
  writeFileSync(list, "ana@mail.example:1\n")
  const one = await imported(openDataDirectory(join(temporary, "of-one")), list)
  const { folder } = folderOf("many", 600)
  const many = await imported(openDataDirectory(join(temporary, "of-many")), folder)
  assert.equal(many.merged.identities, 500)
  // The reader; what is small is sorted by the command itself.
  assert.deepEqual([one.processes, many.processes], [1, 1])
})

test("a folder says of everybody what its files say one by one, and rejects the same lines", async () => {
  const { folder, files } = folderOf("few", 7)
  const together = openDataDirectory(join(temporary, "together"))
  const whole = await imported(together, folder)
  const apart = openDataDirectory(join(temporary, "apart"))
  const order = files.toSorted()
  const parts: (readonly [number, ImportReport])[] = []
  for (const [n, file] of order.entries()) {
    if (!file.endsWith(".jpg")) parts.push([n + 1, await imported(apart, file)])
  }
  assert.deepEqual(await heldOf(together, 8), await heldOf(apart, 8))
  assert.deepEqual(
    rejectsIn(whole),
    parts.flatMap(([n, part]) => rejectsIn(part).map(([, place]) => [n, place])),
  )
  const rowsApart = await Promise.all(parts.map(([, part]) => rowsIn(apart, part)))
  assert.deepEqual(await rowsIn(together, whole), [...new Set(rowsApart.flat())].sort())
  assert.equal(
    whole.tally.rows,
    parts.reduce((sum, [, { tally }]) => sum + tally.rows, 0),
  )
  assert.equal((await imported(together, folder)).changed, false)
})
