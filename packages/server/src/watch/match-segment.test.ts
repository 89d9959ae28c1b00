import assert from "node:assert/strict"
import { hash } from "node:crypto"
import { test } from "node:test"
import type { Entry } from "@assay/stores/exposure-index"
import { rowOfEntry, type SegmentBlock } from "@assay/stores/segment-block"
import { matchSegment } from "./match-segment.ts"

const keyOf = (n: number): Uint8Array => hash("sha256", String(n), "buffer").subarray(0, 16)
const keys = (...ns: number[]): Uint8Array[] => ns.map(keyOf).sort(Buffer.compare)
const hex = (all: readonly Uint8Array[]): string[] =>
  all.map((key) => Buffer.from(key).toString("hex"))

const ENTRY: Entry = {
  kind: "breach",
  secret: "none",
  hours: 24 * 20_000,
  fingerprint: null,
  aliasTag: 0,
  batchId: 1,
  item: null,
  confidence: null,
  classes: [],
  value: null,
}

/** A segment with a row for each key, in blocks of a few rows. */
async function* segmentOf(
  all: readonly Uint8Array[],
  blockRows: number,
): AsyncGenerator<SegmentBlock> {
  const sorted = [...all].sort(Buffer.compare)
  const { head } = rowOfEntry(ENTRY)
  // As a reader of segments does: what was yielded is another block's memory afterwards.
  const memory = Buffer.alloc(blockRows * 16)
  for (let from = 0; from < sorted.length; from += blockRows) {
    const some = sorted.slice(from, from + blockRows)
    Buffer.concat(some).copy(memory)
    const heads = Buffer.concat(some.map(() => head))
    yield { count: some.length, keys: memory, heads, extended: new Map() }
    memory.fill(0xff)
  }
}

/** A store that gives `limit` keys at a time, and counts how often it was asked. */
function watching(all: readonly Uint8Array[], limit: number) {
  const sorted = [...all].sort(Buffer.compare)
  let asked = 0
  return {
    asked: () => asked,
    async watched(after: Uint8Array | null): Promise<Uint8Array> {
      asked++
      const left = sorted.filter((key) => after === null || Buffer.compare(key, after) > 0)
      return Buffer.concat(left.slice(0, limit))
    },
  }
}

async function matched(
  blocks: AsyncIterable<SegmentBlock>,
  watched: (after: Uint8Array | null) => Promise<Uint8Array>,
  more: { after?: Uint8Array; atOnce?: number } = {},
): Promise<{ key: Uint8Array; rows: number }[][]> {
  const { after = null, atOnce = 1000 } = more
  const pages = []
  for await (const page of matchSegment({ blocks, batchId: 7, watched, after, atOnce }))
    pages.push(page.map(({ key, entries }) => ({ key, rows: entries.length })))
  return pages
}

test("both sorted lists are gone through once, whatever the sizes of pages and blocks", async () => {
  const batch = Array.from({ length: 600 }, (_, n) => keyOf(n))
  const watched = Array.from({ length: 500 }, (_, n) => keyOf(n * 3))
  const both = hex(watched.filter((_, n) => n * 3 < 600).sort(Buffer.compare))
  assert.equal(both.length, 200)
  for (const [blockRows, limit] of [
    [1, 1],
    [7, 3],
    [64, 500],
    [600, 2],
  ] as const) {
    const store = watching(watched, limit)
    const pages = await matched(segmentOf(batch, blockRows), store.watched)
    assert.deepEqual(hex(pages.flat().map(({ key }) => key)), both)
    assert.ok(store.asked() <= Math.ceil(500 / limit) + 1)
  }
})

test("all rows of an identity come together, across the ends of blocks, and others' do not", async () => {
  const [a, b, c] = keys(1, 2, 3) as [Uint8Array, Uint8Array, Uint8Array]
  const batch = [a, a, a, b, b, c]
  const store = watching([a, c], 10)
  for (const blockRows of [1, 2, 4, 6]) {
    const [page = []] = await matched(segmentOf(batch, blockRows), store.watched)
    assert.deepEqual(
      page.map(({ rows }) => rows),
      [3, 1],
    )
    assert.deepEqual(hex(page.map(({ key }) => key)), hex([a, c]))
  }
})

test("it goes on after a position, and hands over no more than so many at once", async () => {
  const batch = keys(1, 2, 3, 4, 5, 6, 7)
  const store = watching(batch, 2)
  const pages = await matched(segmentOf(batch, 3), store.watched, {
    after: batch[1] as Uint8Array,
    atOnce: 2,
  })
  assert.deepEqual(
    pages.map((page) => hex(page.map(({ key }) => key))),
    [hex(batch.slice(2, 4)), hex(batch.slice(4, 6)), hex(batch.slice(6))],
  )
})

test("nothing is read of a batch where nobody is watched, or no more than is needed", async () => {
  const unread: AsyncIterable<SegmentBlock> = {
    [Symbol.asyncIterator]: () => assert.fail("the batch is not read"),
  }
  assert.deepEqual(await matched(unread, watching([], 5).watched), [])
  const batch = keys(...Array.from({ length: 50 }, (_, n) => n))
  let rows = 0
  async function* counted(): AsyncGenerator<SegmentBlock> {
    for await (const block of segmentOf(batch, 10)) {
      rows += block.count
      yield block
    }
  }
  const [first] = batch
  const pages = await matched(counted(), watching([first as Uint8Array], 5).watched)
  assert.equal(pages.flat().length, 1)
  assert.equal(rows, 10)
})
