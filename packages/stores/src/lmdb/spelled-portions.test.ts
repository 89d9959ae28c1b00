import assert from "node:assert/strict"
import { test } from "node:test"
import { MalformedBytes } from "../bytes.ts"
import { checkOf, ITEM_BYTES, LONG, REST_BYTES } from "../bucket.ts"
import { mergedEntrySet, SHARED_ENTRIES_MAX } from "../entry-set.ts"
import type { Row } from "../exposure-index.ts"
import type { SegmentBlock } from "../segment-block.ts"
import { breach } from "../../testing/entry-samples-suite.ts"
import { blockOf, segmentBlocks, sortedRows } from "../../testing/segment-samples-suite.ts"
import { spelledPortions } from "./spelled-portions.ts"

const BATCH = 300

/**
 * Identities with one to five rows each. Every seventh has more: its set does not stand beside
 * others, and its rows are more blocks than are on their way at once.
 */
function rowsOf(identities: number): Row[] {
  return Array.from({ length: identities }, (_, i) => {
    const key = Buffer.alloc(16, i)
    key.writeUInt32BE(Math.floor((i / identities) * 2 ** 32))
    const count = i % 7 === 6 ? 100 : 1 + ((i * 7) % 5)
    const entries = Array.from({ length: count }, (_each, n) => ({
      ...breach,
      batchId: BATCH,
      hours: n * 24,
      item: n % 2 === 0 ? `shop-${n}.example` : null,
    }))
    return { key, entries }
  })
}

/** Blocks in one and the same memory, as those of an import are. */
async function* usedAgain(blocks: AsyncIterable<SegmentBlock>): AsyncGenerator<SegmentBlock> {
  const [keys, heads] = [Buffer.alloc(1 << 16), Buffer.alloc(1 << 16)]
  for await (const block of blocks) {
    keys.fill(0xff).set(block.keys)
    heads.fill(0xff).set(block.heads)
    const { count, extended } = block
    yield {
      count,
      keys: keys.subarray(0, count * 16),
      heads: heads.subarray(0, count * 8),
      extended,
    }
  }
}

interface Collected {
  readonly rows: string[]
  readonly sets: (string | null)[]
  readonly keys: string[]
  readonly portions: number
}

async function collected(
  blocks: AsyncIterable<SegmentBlock>,
  first: number,
  later: number,
): Promise<Collected> {
  const [rows, sets, keys]: [string[], (string | null)[], string[]] = [[], [], []]
  let portions = 0
  for await (const portion of spelledPortions(blocks, BATCH, { first, later })) {
    portions++
    const { count, identities, rowEnds, firsts, items, lengths, setsFrom } = portion
    assert.ok(count > 0 && identities > 0)
    assert.equal(rowEnds[identities - 1], count)
    for (let row = 0; row < count; row++) {
      const key = hex(portion.keys.subarray(row * 16, row * 16 + 16))
      const head = hex(portion.heads.subarray(row * 8, row * 8 + 8))
      rows.push(`${key} ${head} ${hex(portion.extended.get(row) ?? Buffer.alloc(0))}`)
    }
    for (let i = 0; i < identities; i++) {
      const row = i === 0 ? 0 : (rowEnds[i - 1] as number)
      const key = portion.keys.subarray(row * 16, row * 16 + 16)
      keys.push(hex(key))
      assert.equal(firsts[i], Buffer.from(key).readUInt32BE(0))
      const item = i * ITEM_BYTES
      assert.equal(hex(items.subarray(item, item + REST_BYTES)), hex(key.subarray(4)))
      const [from, to] = [setsFrom[i] as number, setsFrom[i + 1] as number]
      if (lengths[i] === LONG) {
        assert.equal(from, to)
        sets.push(null)
        continue
      }
      assert.equal(lengths[i], to - from)
      const check = checkOf(firsts[i] as number, items, item, portion.sets, from, to)
      assert.equal(Buffer.from(items).readUInt16BE(item + REST_BYTES), check)
      sets.push(hex(portion.sets.subarray(from, to)))
    }
  }
  return { rows, sets, keys, portions }
}

test("portions have every row once, end where an identity does, and spell each set as merging does", async () => {
  const rows = rowsOf(300)
  const expected = sortedRows(rows)
  const sets = rows.map(({ entries }) => {
    const set = mergedEntrySet(undefined, entries, SHARED_ENTRIES_MAX, () => "loading")
    return set.length < LONG ? hex(set) : null
  })
  assert.ok(sets.includes(null))
  const counts: number[] = []
  for (const [blockRows, first, later] of [
    // The last two go through the thread.
    [100, 5_000, 5_000],
    [1_000, 300, 5_000],
    [7, 20, 90],
    [1, 1, 1],
  ] as const) {
    const got = await collected(usedAgain(segmentBlocks(rows, blockRows)), first, later)
    assert.deepEqual(
      got.rows,
      expected.map(
        ({ key, head, extended }) => `${hex(key)} ${hex(head)} ${hex(extended ?? Buffer.alloc(0))}`,
      ),
    )
    assert.deepEqual(got.sets, sets)
    assert.deepEqual(
      got.keys,
      rows.map(({ key }) => hex(key)),
    )
    counts.push(got.portions)
  }
  assert.deepEqual(counts.slice(0, 2), [1, 2])
  assert.ok(counts.slice(2).every((portions) => portions > 10))
})

test("rows out of order, and rows that are no entries, are refused wherever in a segment they are", async () => {
  const rows = rowsOf(300)
  const before = sortedRows(rows)
  for (const from of [3, 200]) {
    const backwards = [...before]
    backwards.splice(
      from * 3,
      2,
      ...[before[from * 3 + 1], before[from * 3]].map((row) => row as (typeof before)[0]),
    )
    const other = {
      ...(before[from * 3] as (typeof before)[0]),
      head: Buffer.alloc(8, 0xff),
      extended: null,
    }
    const noEntry = before.with(from * 3, other)
    const outOfOrder = before.with(from * 3, before[0] as (typeof before)[0])
    for (const bad of [noEntry, outOfOrder]) {
      await assert.rejects(collected(oneByOne(bad), 20, 20), MalformedBytes)
    }
  }
})

test("a source that breaks ends the portions, and one that hangs does not keep who stops taking them", async () => {
  const blocks = oneByOne(sortedRows(rowsOf(300)))
  const broken = async function* (): AsyncGenerator<SegmentBlock> {
    let n = 0
    for await (const block of blocks) {
      if (++n > 500) throw new RangeError("the sorter is gone")
      yield block
    }
  }
  await assert.rejects(collected(broken(), 10, 10), /the sorter is gone/)
  const hanging = async function* (): AsyncGenerator<SegmentBlock> {
    yield* oneByOne(sortedRows(rowsOf(100)))
    await new Promise(() => undefined)
  }
  let taken = 0
  for await (const { count } of spelledPortions(hanging(), BATCH, { first: 10, later: 10 })) {
    taken += count
    if (taken > 100) break
  }
  assert.ok(taken > 100)
})

async function* oneByOne(rows: ReturnType<typeof sortedRows>): AsyncGenerator<SegmentBlock> {
  for (const row of rows) yield blockOf([row])
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}
