import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { MalformedBytes } from "./bytes.ts"
import type { Batch } from "./catalogue.ts"
import type { Entry } from "./entry.ts"
import { anyEntry, breach } from "../testing/entry-samples-suite.ts"
import { mergedEntrySet, readEntrySet, type BatchState } from "./entry-set.ts"
import { blockOf, sortedRows } from "../testing/segment-samples-suite.ts"
import { SegmentMerger } from "./segment-merger.ts"
import { UnknownBatch } from "./stored-set.ts"

const key = Buffer.alloc(16, 7)
const RUNS = process.env["ASSAY_SOAK"] === undefined ? 1_000 : 100_000

function batchesOf(states: readonly BatchState[]): ReadonlyMap<number, Batch> {
  return new Map(
    states.map((state, i) => [
      i + 1,
      {
        id: i + 1,
        sourceId: 1 + (i % 2),
        owner: "shared",
        state,
        fingerprint: `file ${i}`,
        rows: 0,
        identities: 0,
        createdAt: 1,
        liveAt: null,
        removedAt: null,
      },
    ]),
  )
}

/**
 * Few distinct entries, so that most runs have some twice; plain and extended, of any of the
 * batches.
 */
const anyOfBatch = (batches: number): fc.Arbitrary<Entry> =>
  fc.oneof(
    fc.record({ hours: fc.nat(3), batchId: fc.integer({ min: 1, max: batches }) }).map((some) => ({
      ...breach,
      ...some,
    })),
    fc
      .record({ item: fc.constantFrom("a", "b"), batchId: fc.integer({ min: 1, max: batches }) })
      .map((some) => ({ ...breach, ...some })),
    anyEntry(fc.integer({ min: 1, max: batches })),
  )

test("merging by bytes gives what merging by entries gives, whatever is stored and whatever comes", () => {
  const plan = fc.record({
    states: fc.array(fc.constantFrom<BatchState>("live", "live", "loading", "removed"), {
      minLength: 2,
      maxLength: 200,
    }),
    earlier: fc.array(fc.array(anyOfBatch(3), { maxLength: 8 }), { maxLength: 3 }),
    coming: fc.array(anyOfBatch(1), { minLength: 1, maxLength: 8 }),
    max: fc.integer({ min: 1, max: 20 }),
  })
  let unchanged = 0
  fc.assert(
    fc.property(plan, ({ states, earlier, coming, max }) => {
      const batches = batchesOf([...states, "live", "live"])
      const stateOf = (id: number): BatchState => batches.get(id)?.state ?? "live"
      // The last batch takes two bytes to name where there are many.
      const batchId = states.length
      const stored = earlier.reduce<Uint8Array | undefined>(
        (set, entries) => mergedEntrySet(set, entries, max, () => "live"),
        undefined,
      )
      const entries = coming.map((entry) => ({ ...entry, batchId }))
      const rows = sortedRows([{ key, entries }])
      const merger = new SegmentMerger(batchId, max)
      merger.useBatches(batches)
      merger.take(blockOf(rows), 0, rows.length)
      const expected = mergedEntrySet(stored, entries, max, stateOf)
      if (stored === undefined) {
        assert.deepEqual(Buffer.from(merger.freshSet()), Buffer.from(expected))
        return
      }
      const joined = merger.joinedSet(stored)
      if (joined === null) unchanged++
      assert.deepEqual(Buffer.from(joined ?? stored), Buffer.from(expected))
      assert.equal(merger.countKnown(stored), knownIn(stored, entries, batches, batchId))
    }),
    { seed: 17, numRuns: RUNS },
  )
  assert.ok(unchanged > 0)
})

test("rows in no order, and more of them than there is room for, go the long way to the same set", () => {
  const entries = [300, 5, 200, 5, 1].map((hours) => ({ ...breach, hours, batchId: 1 }))
  const rows = entries.flatMap((entry) => sortedRows([{ key, entries: [entry] }]))
  for (const max of [256, 2]) {
    const merger = new SegmentMerger(1, max)
    merger.useBatches(batchesOf(["loading"]))
    merger.take(blockOf(rows), 0, rows.length)
    const expected = mergedEntrySet(undefined, entries, max, () => "loading")
    assert.deepEqual(Buffer.from(merger.freshSet()), Buffer.from(expected))
  }
})

test("a stored set that cannot be read, or names an unknown batch, is never merged into", () => {
  const merger = new SegmentMerger(1, 256)
  merger.useBatches(batchesOf(["loading", "live"]))
  const rows = sortedRows([{ key, entries: [breach] }])
  merger.take(blockOf(rows), 0, 1)
  const unknownBatch = mergedEntrySet(undefined, [{ ...breach, batchId: 9 }], 256, () => "live")
  for (const stored of [
    Buffer.alloc(0),
    Buffer.from([0, 8, 0, 0]),
    Buffer.alloc(40, 0xff),
    unknownBatch,
  ]) {
    assert.throws(() => merger.joinedSet(stored), MalformedBytes)
  }
})

function knownIn(
  stored: Uint8Array,
  entries: readonly Entry[],
  batches: ReadonlyMap<number, Batch>,
  batchId: number,
): number {
  const sourceId = batches.get(batchId)?.sourceId
  const said = ({ batchId: _, ...rest }: Entry): string => JSON.stringify(rest)
  const held = new Set(
    readEntrySet(stored)
      .entries.filter((entry) => {
        const batch = batches.get(entry.batchId)
        return batch?.sourceId === sourceId && batch?.state === "live" && batch.id !== batchId
      })
      .map(said),
  )
  return [...new Set(entries.map(said))].filter((each) => held.has(each)).length
}

test("an entry of a batch that the catalogue lacks is told as such, so that who merges can read it anew", () => {
  const merger = new SegmentMerger(1, 256)
  merger.useBatches(batchesOf(["loading"]))
  const later = mergedEntrySet(undefined, [{ ...breach, batchId: 2 }], 256, () => "loading")
  const block = blockOf(sortedRows([{ key, entries: [breach] }]))
  merger.take(block, 0, block.count)
  assert.throws(() => merger.joinedSet(later), UnknownBatch)
  merger.useBatches(batchesOf(["loading", "loading"]))
  assert.ok((merger.joinedSet(later)?.length ?? 0) > later.length)
})
