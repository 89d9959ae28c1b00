import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { constants, gzipSync, zstdCompressSync } from "node:zlib"
import { writeParquetRows } from "../../packages/corpus/testing/formats/test-rows.ts"
import { testZip } from "../../packages/corpus/testing/inputs/test-zip.ts"
import { lockImports } from "../../packages/runtime/src/data-directory.ts"
import { openRecordsOf } from "../http/records-of.ts"
import { assay } from "./assay.ts"
import { childrenOf } from "../../bench/process-figures.ts"
import { combolist, emailAt, filesWithCanary, heldIn, startImport } from "./corpus.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-faults-"))
after(() => rmSync(directory, { recursive: true, maxRetries: 5 }))
const secretFile = join(directory, "secret")
writeFileSync(secretFile, "5a".repeat(32), { mode: 0o600 })
const data = join(directory, "data")
const env = { ASSAY_DATA: data, ASSAY_SECRET_FILE: secretFile }

/** An import that hangs fails its test by this, and is ended. */
const ENDED_WITHIN_MS = 180_000

/**
 * Long enough that a fault behind the middle is met while reading, and not by a look at the first
 * rows.
 */
const LINES = 20_000
const text = Array.from(
  { length: LINES },
  (_, n) => `${emailAt((n * 7919) % 1_000_003)}:zqxjkv-${(n * 104_729) % 99_991}`,
).join("\n")
const bomb = Buffer.from(`${text.slice(0, 100_000)}\n${`${emailAt(1)}:zqxjkv\n`.repeat(300_000)}`)

let untouched: ReadonlyMap<string, string>
let audited: number

before(async () => {
  const first = combolist(join(directory, "first.txt"), 500)
  const { code, err } = await assay(["corpus", "import", first, "--source", "first"], env)
  assert.equal(code, 0, err)
  untouched = contentsOf(data)
  audited = (await recorded()).audit.length
})

/** Runs an import that must fail by itself; `meanwhile` may help. Returns what it said last. */
async function failing(
  path: string,
  meanwhile: (pid: number) => Promise<void> = async () => undefined,
  limits = "",
): Promise<string> {
  const running = startImport([path, "--source", "s", "--rejects", `${path}.rejects`], env, limits)
  const stopping = new AbortController()
  const ended = await Promise.race([
    Promise.all([running.ended, meanwhile(running.pid)]).then(([code]) => code),
    delay(ENDED_WITHIN_MS, "it hangs" as const, { signal: stopping.signal }),
  ])
  stopping.abort()
  if (ended === "it hangs") process.kill(-running.pid, "SIGKILL")
  assert.equal(ended, 1, running.output())
  assert.doesNotMatch(running.output(), /zqxjkv/)
  // Every process of the import is gone with it.
  assert.throws(() => process.kill(-running.pid, 0), { code: "ESRCH" })
  const lock = lockImports(data)
  assert.notEqual(lock, null, "the lock is still held")
  lock?.release()
  assert.deepEqual(contentsOf(data), untouched)
  // That it failed is an event, and all that the records have of it.
  const { audit, events } = await recorded()
  assert.equal(audit.length, audited)
  assert.equal(events.at(-1)?.kind, "import.failed")
  assert.equal(events.length, ++told)
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.includes(".rejects")),
    [],
  )
  return running.output().trimEnd().split("\n").at(-1) ?? ""
}

/** Of events, the first import told one. */
let told = 1

async function recorded() {
  const records = await openRecordsOf(data, secretFile)
  try {
    return {
      audit: await records.audit({ limit: 1_000 }),
      events: await records.eventsAfter({ tenantId: null, after: 0, limit: 1_000 }),
    }
  } finally {
    await records.close()
  }
}

function file(name: string, bytes: Buffer | string): string {
  const path = join(directory, name)
  writeFileSync(path, bytes)
  return path
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] as number) ^ 0xff
  return copy
}

/** Every file by name and contents, without who holds or held which lock. */
function contentsOf(path: string): Map<string, string> {
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        !/^(?:lock\.mdb|import\.holder|.*lock|records\.sqlite.*)$/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    files
      .sort()
      .map((name) => [name, createHash("sha256").update(readFileSync(name)).digest("hex")]),
  )
}

const gzip = gzipSync(text)
const zstd = zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
const zip = testZip([{ name: "list.txt", bytes: text }])
const nested = testZip([{ name: "inner.zip", bytes: flipped(zip, zip.length >> 1), stored: true }])

for (const [name, bytes, said] of [
  ["cut.txt.gz", gzip.subarray(0, gzip.length - 2000), "cut.txt.gz is damaged or cut off"],
  ["flipped.txt.gz", flipped(gzip, gzip.length >> 1), "flipped.txt.gz is damaged or cut off"],
  ["flipped.txt.zst", flipped(zstd, zstd.length - 2000), "flipped.txt.zst is damaged or cut off"],
  ["flipped.zip", flipped(zip, zip.length >> 1), "flipped.zip is damaged"],
  ["nested.zip", nested, "nested.zip/inner.zip is damaged"],
  ["bomb.txt.gz", gzipSync(bomb), "bomb.txt.gz unpacks to more than 200 times its size"],
  [
    "bomb.zip",
    testZip([{ name: "list.txt", bytes: bomb }]),
    "bomb.zip/list.txt unpacks to more than 200 times its size",
  ],
] as const) {
  test(`${name}: the import says so, ends, lets go of its lock and leaves all as it was`, async () => {
    const line = await failing(file(name, bytes))
    assert.ok(line.startsWith(`assay: Nothing was imported: ${said}`), line)
  })
}

test("Parquet that is cut or damaged is refused by name, and changes nothing", async () => {
  const whole = join(directory, "whole.parquet")
  await writeParquetRows(whole, 30_000)
  const bytes = readFileSync(whole)
  for (const [name, damaged] of [
    ["cut.parquet", bytes.subarray(0, bytes.length - 100)],
    ["flipped.parquet", Buffer.from(bytes).fill(0xaa, bytes.length >> 1, (bytes.length >> 1) + 64)],
  ] as const) {
    assert.equal(
      await failing(file(name, damaged)),
      `assay: Nothing was imported: ${name} is a damaged Parquet file, or one that cannot be read here`,
    )
  }
})

/** The child of an import that runs this part, once it has started. */
async function childOf(pid: number, part: "reader" | "sorter"): Promise<number> {
  for (let n = 0; n < 60_000; n++) {
    const child = childrenOf(pid).find((each) => {
      try {
        return readFileSync(`/proc/${each}/cmdline`, "utf8").includes(`${part}-process`)
      } catch {
        return false
      }
    })
    if (child !== undefined) return child
    await delay(1)
  }
  throw new Error(`no ${part}`)
}

for (const [killed, stopped] of [
  ["reader", "sorter"],
  ["sorter", "reader"],
] as const) {
  test(`a ${killed} that is killed ends the import, though the ${stopped} answers nobody`, async () => {
    const list = combolist(join(directory, "killed.txt"), 200_000)
    const line = await failing(list, async (pid) => {
      const sorter = await childOf(pid, "sorter")
      const reader = await childOf(pid, "reader")
      process.kill(stopped === "sorter" ? sorter : reader, "SIGSTOP")
      process.kill(killed === "sorter" ? sorter : reader, "SIGKILL")
    })
    assert.match(
      line,
      killed === "reader"
        ? /^assay: Nothing was imported: The reader ended unexpectedly \(SIGKILL\)/
        : /^assay: Nothing was imported: The sorter ended unexpectedly \(SIGKILL\)/,
    )
  })
}

test("a disk without room for what was read ends the import", async () => {
  // Room for reading the records, and no more.
  const line = await failing(file("full.txt", text), undefined, "ulimit -f 80;")
  assert.equal(line, "assay: Nothing was imported: The disk is full")
})

test("after all of these a good file is imported at once", async () => {
  const good = combolist(join(directory, "good.txt"), 100)
  const { code, err } = await assay(["corpus", "import", good, "--source", "good"], env)
  assert.equal(code, 0, err)
  const { batches } = await heldIn(data, secretFile, 0)
  assert.deepEqual(
    batches.map(({ state, rows }) => [state, rows]),
    [
      ["live", 500],
      ["live", 100],
    ],
  )
  assert.deepEqual(filesWithCanary(data), [])
})
