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
import { Readable, Writable } from "node:stream"
import { after, test } from "node:test"
import { deriveSecrets } from "@assay/runtime/secrets"
import type { FoundFormat } from "../formats/format.ts"
import { type Examined, examineInputs } from "./examine.ts"
import { END_FRAME, readFrames } from "./keyed-rows.ts"
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

/** Lines of every kind beside plain ones, and why the odd ones among them are rejected. */
const ODD_LINES: readonly (readonly [text: string, reject: string | null])[] = [
  ["first@mail.example:secret1", null],
  ["UPPER.Case@Mail.Example:secret2", null],
  ["name+tag@mail.example:secret3", null],
  ["", "blank"],
  ["grün@mail.example:pässword", null],
  ["name@mail.example:5f4dcc3b5aa765d61d8327deb882cf99", null],
  ["no delimiter or address", "no-delimiter"],
  ["user:secret4", "no-identity"],
  ["two..dots@mail.example:secret5", "not-an-email"],
  [".dot@mail.example:secret5", "not-an-email"],
  ["dot.@mail.example:secret5", "not-an-email"],
  ["name@-mail.example:secret6", "not-an-email"],
  ["name-x@yahoo.com:secret7", null],
  ["first@mail.example:secret1", null],
  ["\ufeffmarked@mail.example:secret8", null],
  ["name@mail.example", null],
  ["name@mail.example:", null],
  ["name@mail.example;secret9", null],
  ["   ", "blank"],
  ["x".repeat(70_000), "no-delimiter"],
  [`${"x".repeat(65)}@mail.example:secret10`, "not-an-email"],
  ["last@mail.example:secret11", null],
]
const ODD_ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  "UTF-8": (text) => Buffer.from(text),
  "UTF-8 with a mark": (text) => Buffer.from(`\ufeff${text}`),
  "UTF-8 with NULs": (text) => Buffer.from(text.replaceAll("secret", "sec\0ret")),
  "UTF-16, little end first": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "UTF-16, big end first": (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
}

test("odd lines between plain ones are rejected by their number, however a list is written", async () => {
  const lines = Array.from({ length: 16 }, () => ODD_LINES).flat()
  const rejected = lines.flatMap(([, reason], at) => (reason === null ? [] : [[at + 1, reason]]))
  const written = Object.entries(ODD_ENCODINGS).flatMap(([title, encoded]) =>
    ["\n", "\r\n", "\r"].map((end) => ({ title, end, encoded })),
  )
  const paths = written.map(({ end, encoded }, n) => {
    const path = join(directory, `odd-${n + 10}.txt`)
    writeFileSync(path, encoded(lines.map(([text]) => text).join(end)))
    return path
  })
  const job = jobOf("odd", 2, paths)
  const { out, bytes } = collecting()
  await readInputs(job, await examined(paths), out, () => undefined)
  const [, ...rejects] = readFileSync(job.rejects, "utf8").trimEnd().split("\n")
  assert.deepEqual(
    rejects,
    written.flatMap((_, n) => rejected.map(([line, reason]) => `${n + 1},${line},${reason}`)),
  )
  // No byte of a keyed row depends on how the list was written.
  const rows = await rowsOf(bytes())
  const length = (lines.length - rejected.length) * 24
  assert.equal(rows.length, written.length * length)
  for (const [n, { title, end }] of written.entries())
    assert.ok(
      rows.subarray(n * length, (n + 1) * length).equals(rows.subarray(0, length)),
      `${title}, ${JSON.stringify(end)}`,
    )
})

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

/** The columns of all frames, row by row. */
async function rowsOf(frames: Buffer): Promise<Buffer> {
  const rows: Buffer[] = []
  for await (const { count, keysHigh, keysLow, heads } of readFrames(Readable.from([frames]))) {
    for (let row = 0; row < count; row++)
      for (const column of [keysHigh, keysLow, heads])
        rows.push(Buffer.from(column.subarray(row * 8, row * 8 + 8)))
  }
  return Buffer.concat(rows)
}
