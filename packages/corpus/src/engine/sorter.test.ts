import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { DuckDBInstance } from "@duckdb/node-api"
import { openSegmentReader, SEGMENT_COLUMNS, sqlText } from "../segments/segment.ts"
import {
  DOMAIN_MARK,
  END_FRAME,
  frameOf,
  FrameWriter,
  type KeyedRows,
  readFrames,
} from "./keyed-rows.ts"
import { sortIntoSegment, type SortedSegment } from "./sorter.ts"

const temporary = mkdtempSync(join(tmpdir(), "assay-sorter-"))
after(() => rmSync(temporary, { recursive: true, maxRetries: 5 }))

interface Row {
  readonly key: string
  readonly head: readonly [number, number]
  readonly extended?: Uint8Array
}

let made = 0

async function sorted(
  rows: readonly Row[],
  { memoryMb = 128, domains = [] as string[] } = {},
): Promise<SortedSegment & { path: string; spilled: number }> {
  const workDirectory = join(temporary, `work-${++made}`)
  mkdirSync(workDirectory)
  const path = join(temporary, `${made}.parquet`)
  let spilled = 0
  async function* frames(): AsyncGenerator<Buffer> {
    const writer = new FrameWriter()
    for (const { key, head, extended } of rows) {
      writer.add(key, head[0], head[1], extended ?? null)
      if (writer.full) {
        yield writer.take()
        spilled = Math.max(spilled, readdirSync(workDirectory).length)
      }
    }
    if (!writer.empty) yield writer.take()
    yield END_FRAME
  }
  const options = { workDirectory, segment: path, keyCheckValue: "it's", memoryMb, domains }
  const segment = await sortIntoSegment(readFrames(frames()), options)
  return { ...segment, path, spilled }
}

/** A row as text that sorts as the row does. */
function textOf(key: string, head: string, extended: string | null): string {
  return `${key} ${head} ${extended ?? "~"}`
}

async function textsIn(path: string): Promise<string[]> {
  const reader = await openSegmentReader()
  const texts: string[] = []
  for await (const { count, keys, heads, extended } of reader.blocks(path)) {
    const hex = (bytes: Uint8Array, from: number, to: number): string =>
      Buffer.from(bytes.subarray(from, to)).toString("hex")
    for (let row = 0; row < count; row++) {
      const part = extended.get(row)
      texts.push(
        textOf(
          hex(keys, row * 16, row * 16 + 16),
          hex(heads, row * 8, row * 8 + 8),
          part === undefined ? null : hex(part, 0, part.length),
        ),
      )
    }
  }
  reader.close()
  return texts
}

function expected(rows: readonly Row[]): string[] {
  const texts = rows
    .filter(({ head }) => head[0] !== DOMAIN_MARK)
    .map(({ key, head, extended }) => {
      const bytes = Buffer.alloc(8)
      bytes.writeUInt32BE(head[0], 0)
      bytes.writeUInt32BE(head[1], 4)
      const part = extended === undefined ? null : Buffer.from(extended).toString("hex")
      return textOf(Buffer.from(key, "latin1").toString("hex"), bytes.toString("hex"), part)
    })
  return [...new Set(texts)].sort()
}

const keys: string[] = []
const keyOf = (n: number): string =>
  (keys[n] ??= createHash("sha256").update(`${n}`).digest().subarray(0, 16).toString("latin1"))

/** People with one row and with many, rows that are repeated, some with an extended part. */
function manyRows(count: number): Row[] {
  let state = 20_261_118
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return Array.from({ length: count }, (): Row => {
    const person = random(3) === 0 ? random(20) : random(count / 4)
    const head = [random(4) * 0x4000_0000 + random(2), random(3) * 0x5555_5555] as const
    if (random(10) > 0) return { key: keyOf(person), head }
    const extended = Uint8Array.from({ length: random(4) * 80 + 1 }, () => random(2) * 255)
    return { key: keyOf(person), head: [head[0] + 2, head[1]], extended }
  })
}

/** More than a row group of a segment, and more frames than runs that are read at once. */
const large = manyRows(270_000)

test("rows are in order and each is there once, the same from memory as over files", async () => {
  const rows = manyRows(30_000)
  const held = await sorted(rows)
  assert.equal(held.spilled, 0)
  const texts = await textsIn(held.path)
  assert.deepEqual(texts, expected(rows))
  assert.equal(held.rows, texts.length)

  // Less memory than a frame takes: every frame is a run, and the runs are more than are read at
  // once.
  const spilled = await sorted(large, { memoryMb: 0.01 })
  assert.ok(spilled.spilled > 50 && spilled.spilled < 140, String(spilled.spilled))
  const whole = await sorted(large)
  assert.deepEqual(readFileSync(spilled.path), readFileSync(whole.path))
  assert.deepEqual([spilled.rows, spilled.sha256], [whole.rows, whole.sha256])
})

test("a segment says how long it is and what its bytes are, and a database reads it as any Parquet", async () => {
  const { path, rows: count, bytes, sha256 } = await sorted(large)
  const texts = expected(large)
  assert.equal(bytes, statSync(path).size)
  assert.equal(sha256, createHash("sha256").update(readFileSync(path)).digest("hex"))
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  const from = sqlText(path)
  const one = async (query: string): Promise<unknown[] | undefined> =>
    (await connection.runAndReadAll(query)).getRows()[0]
  assert.deepEqual(await one(`SELECT count(*), count(extended) FROM read_parquet(${from})`), [
    BigInt(count),
    BigInt(texts.filter((text) => !text.endsWith("~")).length),
  ])
  assert.deepEqual(
    await one(
      `SELECT count(*) FROM (SELECT DISTINCT ${SEGMENT_COLUMNS} FROM read_parquet(${from}))`,
    ),
    [BigInt(count)],
  )
  // What a query looks for is found by the ranges of the groups, as in what the database wrote.
  const [groups, ranged] = (await one(
    `SELECT count(*), count(stats_min_value) FROM parquet_metadata(${from}) WHERE path_in_schema = 'key_high'`,
  )) as [bigint, bigint]
  assert.ok(groups > 1n && ranged === groups)
  const limit = 1n << 58n
  const sample = texts.filter((text) => BigInt(`0x${text.slice(0, 16)}`) < limit).length
  assert.deepEqual(
    await one(`SELECT count(*) FROM read_parquet(${from}) WHERE key_high < ${limit}`),
    [BigInt(sample)],
  )
  connection.closeSync()
  instance.closeSync()
})

test("marks of watched domains are counted once for each identity, and are no rows", async () => {
  const rows: Row[] = manyRows(5_000)
  const domains = ["aa", "bb", "cc"].map((pair) => pair.repeat(16))
  const marked = rows.flatMap((row, n): Row[] =>
    n % 5 === 0 ? [row, { key: row.key, head: [DOMAIN_MARK, n % 2] }] : [row],
  )
  const people = (place: number): number =>
    new Set(
      marked
        .filter(({ head }) => head[0] === DOMAIN_MARK && head[1] === place)
        .map(({ key }) => key),
    ).size
  for (const memoryMb of [128, 0.01]) {
    const { path } = await sorted(marked, { memoryMb, domains })
    assert.deepEqual(await textsIn(path), expected(rows))
    const reader = await openSegmentReader()
    const facts = await reader.facts(path)
    reader.close()
    assert.deepEqual(
      [...facts.domains],
      [
        ["aa".repeat(16), people(0)],
        ["bb".repeat(16), people(1)],
      ],
    )
    assert.equal(facts.keyCheckValue, "it's")
  }
})

test("one identity with very many rows is sorted as all others are", async () => {
  const rows = Array.from({ length: 40_000 }, (_, n): Row => ({
    key: keyOf(1),
    head: [8, (n * 7919) % 20_000],
  }))
  const { path } = await sorted(rows)
  assert.deepEqual(await textsIn(path), expected(rows))
})

test("a frame of rows is read as it was written", async () => {
  const rows: KeyedRows = {
    count: 2,
    keysHigh: Buffer.from("1122334455667788aabbccddeeff0011", "hex"),
    keysLow: Buffer.alloc(16, 3),
    heads: Buffer.alloc(16, 4),
    extended: new Map([[1, Uint8Array.of(9, 8, 7)]]),
  }
  async function* stream(): AsyncGenerator<Buffer> {
    yield frameOf(rows)
    yield END_FRAME
  }
  const read: KeyedRows[] = []
  for await (const frame of readFrames(stream())) read.push(frame)
  const [first] = read
  const extended = [...(first?.extended ?? [])].map(([row, part]) => [row, [...part]])
  assert.deepEqual(extended, [[1, [9, 8, 7]]])
  assert.deepEqual({ ...first, extended: rows.extended }, rows)
  assert.equal(read.length, 1)
})
