import assert from "node:assert/strict"
import { test } from "node:test"
import { stringify } from "csv-stringify/sync"
import { CsvError, parse } from "csv-parse/sync"
import fc from "fast-check"
import type { Detected } from "./format.ts"
import { blocksOf } from "./formats.ts"
import { cellsOf, csvRecords, CsvRows } from "./csv-rows.ts"
import { piecesOf } from "../../testing/formats/read-all-suite.ts"
import { memberOf, readDetected } from "../../testing/formats/test-read.ts"

const seed = 20261115
const cell = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('"', ",", "\n", ";", "a", " "), maxLength: 8 }),
)
const table = fc.integer({ min: 2, max: 5 }).chain((width) =>
  fc.array(fc.array(cell, { minLength: width, maxLength: width }), {
    minLength: 1,
    maxLength: 20,
  }),
)

function cells(text: string, delimiter: string): string[][] {
  const bytes = Buffer.from(text)
  const rows = new CsvRows(bytes, delimiter)
  const found: string[][] = []
  for (let at = 0; at < bytes.length;) {
    const end = rows.end(at)
    found.push(cellsOf(bytes.toString("utf8", at, end), delimiter, rows.quoted))
    at = end + 1
  }
  return found
}

test("what another program wrote as CSV is read as it was, and as a third one reads it", () => {
  fc.assert(
    fc.property(table, fc.constantFrom(",", ";", "\t", "|"), (rows, delimiter) => {
      const text = stringify(rows, { delimiter, quoted_match: /[\r]/, record_delimiter: "\n" })
      const read = cells(text, delimiter)
      assert.deepEqual(read, rows)
      const options = { delimiter, record_delimiter: "\n", skip_empty_lines: false }
      assert.deepEqual(read, parse(text, options))
    }),
    { seed, numRuns: 500 },
  )
})

/** By line the cells of a row, or the fault. */
async function recordsOf(text: string, pieceBytes = 7): Promise<[number, string[] | string][]> {
  const records: [number, string[] | string][] = []
  for await (const record of csvRecords(piecesOf(Buffer.from(text), pieceBytes), ","))
    records.push([record.line, "fault" in record ? record.fault : record.cells])
  return records
}

test("read as it arrives, a table has the rows and lines that another program finds in it", async () => {
  const written = fc.tuple(table, fc.constantFrom("\n", "\r\n"), fc.integer({ min: 1, max: 20 }))
  await fc.assert(
    fc.asyncProperty(written, async ([rows, end, pieceBytes]) => {
      const text = stringify(rows, { quoted_match: /[\r\n]/, record_delimiter: end })
      const options = { info: true, record_delimiter: end, skip_empty_lines: true } as const
      const expected = parse(text, options) as unknown as readonly {
        readonly info: { readonly lines: number }
        readonly record: string[]
      }[]
      assert.deepEqual(
        await recordsOf(text, pieceBytes),
        expected.map(({ info, record }) => [info.lines, record]),
      )
    }),
    { seed, numRuns: 300 },
  )
})

test("read as it arrives, a table has the faults that another program finds in it", async () => {
  const long = "x".repeat(2 << 20)
  for (const [text, code, line] of [
    ['a,b\n1,"open\n2,c\n', "CSV_QUOTE_NOT_CLOSED", 2],
    [`a,b\n1,"open\n${"2,c\n".repeat(500_000)}`, "CSV_QUOTE_NOT_CLOSED", 2],
    [`a,b\n1,${long}\n`, "CSV_MAX_RECORD_SIZE", 2],
  ] as const) {
    assert.throws(() => parse(text, { relax_quotes: true, max_record_size: 1 << 20 }), CsvError)
    assert.deepEqual(await recordsOf(text, 1 << 16), [
      [1, ["a", "b"]],
      [line, code],
    ])
  }
})

test("a bad quote costs its own line and not those behind it", () => {
  assert.deepEqual(cells('a,"b\nc,d\n"e"f,g\nh,i"j\n', ","), [
    ["a", '"b'],
    ["c", "d"],
    ['"e"f', "g"],
    ["h", 'i"j'],
  ])
})

const csv: Detected = {
  format: {
    name: "csv",
    delimiter: ",",
    columns: { email: { at: 0, name: "email" }, password: { at: 1, name: "password" } },
    width: 2,
  },
  encoding: "utf-8",
}

test("where the pieces of a file end changes nothing in its rows", async () => {
  const rows = Array.from({ length: 300 }, (_, i) => [`user${i}@example.com`, `p"${i}\n,ä${i}"`])
  const bytes = Buffer.from(`email,password\n${stringify(rows)}`)
  const whole = await readDetected(memberOf("a.csv", bytes), csv)
  assert.deepEqual(
    whole.rows.map(({ identity, secret }) => [identity, secret]),
    rows,
  )
  assert.deepEqual(whole.rejects, [])
  for (const size of [1, 7, 64, 1000]) {
    assert.deepEqual(await readDetected(memberOf("a.csv", bytes, size), csv), whole)
  }
})

test("blocks of a large file end where rows end, also inside of quotes, and hold all of it", async () => {
  const rows = Array.from({ length: 60_000 }, (_, i) => [
    `user${i}@example.com`,
    `"quoted\n${i}" x,y`,
  ])
  const bytes = Buffer.from(`email,password\n${stringify(rows)}`)
  const blocks: Buffer[] = []
  for await (const block of blocksOf(memberOf("a.csv", bytes), csv)) blocks.push(block)
  assert.ok(blocks.length > 2)
  assert.ok(Buffer.concat(blocks).equals(bytes))
  for (const block of blocks)
    assert.equal(block.buffer.byteLength, block.length, "memory of its own")
  const read = await readDetected(memberOf("a.csv", bytes), csv)
  assert.deepEqual([read.rows.length, read.rejects.length], [60_000, 0])
  assert.equal(read.lines, 120_001)
})

test("a row of more than a megabyte is rejected and the next one read", async () => {
  const long = "x".repeat(3 << 20)
  const text = `email,password\nann@example.com,1\nbob@example.com,${long}\ncarl@example.com,"${long}"\ndora@example.com,2\n`
  const { rows, rejects } = await readDetected(memberOf("a.csv", Buffer.from(text)), csv)
  assert.deepEqual(
    rows.map(({ line, identity }) => [line, identity]),
    [
      [2, "ann@example.com"],
      [5, "dora@example.com"],
    ],
  )
  assert.deepEqual(rejects, [
    { line: 3, reason: "too-long" },
    { line: 4, reason: "too-long" },
  ])
})

test("a quote that is never closed does not hold the rest of a file in memory", async () => {
  const rows = Array.from({ length: 100_000 }, (_, i) => `user${i}@example.com,pw${i}`).join("\n")
  const text = `email,password\nann@example.com,"open\n${rows}\n`
  const read = await readDetected(memberOf("a.csv", Buffer.from(text)), csv)
  assert.deepEqual([read.rows.length, read.rejects.length], [100_001, 0])
  assert.equal(read.rows[0]?.secret, '"open')
})
