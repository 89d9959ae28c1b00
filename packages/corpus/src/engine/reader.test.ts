import assert from "node:assert/strict"
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Writable } from "node:stream"
import { after, test } from "node:test"
import { deriveSecrets } from "@assay/runtime/secrets"
import type { FoundFormat } from "../formats/format.ts"
import { type Examined, examineInputs } from "./examine.ts"
import { END_FRAME } from "./keyed-rows.ts"
import { type ReadJob, readInputs } from "./reader.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-reader-"))
after(() => rmSync(directory, { recursive: true }))
const { subkeys } = deriveSecrets(Buffer.alloc(32, 7))

/** Three blocks of lines, every 5,000th of them without a delimiter. */
const LINES = 100_000
const list = join(directory, "list.txt")
writeFileSync(
  list,
  Array.from({ length: LINES }, (_, n) =>
    n % 5000 === 4321 ? "zqxjkv" : `user${n}.zqxjkv@mail.example:${n}`,
  ).join("\n"),
)

function jobOf(name: string, threads: number, paths = [list]): ReadJob {
  const hours = 480_000
  const keyer = { subkeys, kind: "breach" as const, hours, latestHours: hours + 24 }
  return { paths, keyer, members: new Map(), threads, rejects: join(directory, `${name}.csv`) }
}

function collecting(): { out: Writable; bytes(): Buffer } {
  const pieces: Buffer[] = []
  const out = new Writable({
    highWaterMark: 1024,
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece)
      setImmediate(done)
    },
  })
  return { out, bytes: () => Buffer.concat(pieces) }
}

async function examined(paths = [list]): Promise<Examined> {
  return await examineInputs({ paths, hints: { map: {} }, rowsShown: 0, nowMs: Date.now() })
}

test("one thread or three: the same frames, and rejects by line through all blocks", async () => {
  const read = async (threads: number): Promise<{ frames: Buffer; rejects: string }> => {
    const job = jobOf(`threads-${threads}`, threads)
    const { out, bytes } = collecting()
    const reported: number[] = []
    const { tally } = await readInputs(job, await examined(), out, ({ rows }) =>
      reported.push(rows),
    )
    const rows = LINES - 20
    assert.deepEqual(tally, {
      rows,
      rejects: { "no-delimiter": 20 },
      kinds: { breach: rows },
      datings: { source: rows },
    })
    assert.equal(reported.at(-1), LINES - 20)
    assert.equal(statSync(job.rejects).mode & 0o077, 0)
    assert.equal(existsSync(`${job.rejects}.new`), false)
    return { frames: bytes(), rejects: readFileSync(job.rejects, "utf8") }
  }
  const [one, three] = [await read(1), await read(3)]
  assert.ok(one.frames.equals(three.frames))
  assert.ok(one.frames.subarray(-END_FRAME.length).equals(END_FRAME))
  assert.equal(one.frames.includes("zqxjkv"), false)
  const lines = Array.from({ length: 20 }, (_, n) => `1,${n * 5000 + 4322},no-delimiter\n`)
  assert.equal(one.rejects, `file,line,reason\n${lines.join("")}`)
  assert.equal(three.rejects, one.rejects)
})

test("line numbers begin anew with every file, and no reject makes no list", async () => {
  const first = join(directory, "first.txt")
  const second = join(directory, "second.txt")
  writeFileSync(first, "a@mail.example:1\nx\n")
  writeFileSync(second, "y\nb@mail.example:2\n")
  const job = jobOf("two", 2, [first, second])
  await readInputs(job, await examined([first, second]), collecting().out, () => undefined)
  assert.equal(
    readFileSync(job.rejects, "utf8"),
    "file,line,reason\n1,2,no-delimiter\n2,1,no-delimiter\n",
  )

  writeFileSync(first, "a@mail.example:1\n")
  const clean = jobOf("clean", 1, [first])
  await readInputs(clean, await examined([first]), collecting().out, () => undefined)
  assert.equal(existsSync(clean.rejects), false)
})

test("a parser that throws is named without a word of the row, and no last frame is written", async () => {
  const found = await examined()
  // Without columns the parser has nothing to read by.
  const format: FoundFormat = { name: "csv", delimiter: ":", width: 2 }
  const members = found.members.map((member) => ({
    ...member,
    detected: { format, encoding: "utf-8" as const },
  }))
  const { out, bytes } = collecting()
  const job = jobOf("throws", 2)
  await assert.rejects(
    readInputs(job, { ...found, members }, out, () => undefined),
    { code: "parser", message: "The parser of csv failed (TypeError), at list.txt" },
  )
  assert.equal(bytes().length, 0)
  assert.equal(existsSync(job.rejects), false)
})

test("a file that changes while it is read is refused", async () => {
  const path = join(directory, "changes.txt")
  writeFileSync(path, "a@mail.example:1\n")
  const before = await examined([path])
  utimesSync(path, 1, 1)
  const { out, bytes } = collecting()
  await assert.rejects(
    readInputs(jobOf("changes", 1, [path]), before, out, () => undefined),
    { code: "input", message: "The input changed while it was read" },
  )
  assert.equal(bytes().includes(END_FRAME), false)
})

test("a sorter that is gone ends the reading", async () => {
  const { out } = collecting()
  out.on("error", () => undefined)
  out.destroy(Object.assign(new Error("gone"), { code: "EPIPE" }))
  await assert.rejects(
    readInputs(jobOf("gone", 1), await examined(), out, () => undefined),
    { code: "sorter-gone" },
  )
})
