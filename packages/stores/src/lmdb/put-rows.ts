import type { CatalogueDocument, Owner } from "../catalogue.ts"
import { isTombstone, SHARED_ENTRIES_MAX } from "../entry-set.ts"
import { EMPTY_SET_BYTES } from "../entry-spans.ts"
import { KEY_BYTES, type MergedSegment, type Row } from "../exposure-index.ts"
import type { Join } from "../index-storage.ts"
import type { SegmentBlock } from "../segment-block.ts"
import { SegmentMerger } from "../segment-merger.ts"
import { isSameKey } from "../spelled-portion.ts"
import { entriesMax, statesIn } from "../stored-set.ts"
import { moveOn } from "./bucket-moves.ts"
import { Buckets } from "./buckets.ts"
import type { Changes } from "./changes.ts"
import type { CheckedDatabase } from "./checked-database.ts"
import { tenantKey, type Environment } from "./environment.ts"
import { beginMerge, identitiesExpected, mergeRows } from "./merge-buckets.ts"
import { spelledPortions } from "./spelled-portions.ts"

/**
 * Rows of a segment in one transaction. A server's own write waits for it: about 0.1 s where the
 * disk does not. With a quarter of it, waiting for the disk took two fifths of a large merge, in
 * which nothing else was done.
 */
const PORTION_ROWS = 131_072
/** The first tells early how many will come. */
const FIRST_ROWS = 32_768

type Write = <T>(
  work: (changes: Changes, on: Environment, document: CatalogueDocument) => T,
) => Promise<T>

/** Adds the rows of a segment to the shared sets, in as many transactions as it takes. */
export async function* mergeBlocks(
  batchId: number,
  blocks: AsyncIterable<SegmentBlock>,
  write: Write,
): AsyncGenerator<MergedSegment> {
  const merger = new SegmentMerger(batchId, SHARED_ENTRIES_MAX)
  let after = 0
  let least = FIRST_ROWS
  const sizes = { first: FIRST_ROWS, later: PORTION_ROWS }
  for await (const portion of spelledPortions(blocks, batchId, sizes)) {
    const expected = identitiesExpected(portion, after, portion.count < least)
    least = PORTION_ROWS
    for (let from = 0; from < portion.identities;) {
      const merged = await write((changes, on, document) => {
        if (!(on.shared instanceof Buckets)) {
          return mergePortion(on.shared, changes, merger, portion, document)
        }
        merger.useBatches(document.batches)
        if (from === 0 && expected !== null) beginMerge(on.shared, expected)
        return mergeRows(on.shared, changes, merger, portion, from)
      })
      from += merged.identities
      if (merged.rows > 0) yield merged
    }
    after = portion.firsts[portion.identities - 1] as number
  }
  while (
    await write((_, { shared }) => shared instanceof Buckets && moveOn(shared, PORTION_ROWS))
  ) {
    continue
  }
}

/** Inside a write transaction: joins rows to the stored sets of their identities. */
export function putRows(
  rows: readonly Row[],
  owner: Owner,
  join: Join,
  document: CatalogueDocument,
  changes: Changes,
  { shared, tenants }: Environment,
): void {
  if (owner === "shared" && shared instanceof Buckets) {
    putSharedRows(rows, join, document, changes, shared)
    return
  }
  const database = (owner === "shared" ? shared : tenants) as CheckedDatabase
  const max = entriesMax(owner)
  const stateOf = statesIn(document)
  let last = database.lastKey()
  for (const row of rows) {
    const key = owner === "shared" ? row.key : tenantKey(owner, row.key)
    // Rows that come in order go to the end of the tree, where pages fill up instead of splitting
    // in halves.
    const append = last === undefined || Buffer.compare(key, last) > 0
    const stored = append ? undefined : database.copied(key)
    if (isTombstone(owner === "shared" ? stored : shared.copied(row.key))) continue
    const joined = join(stored, row.entries, max, stateOf)
    if (joined.length === EMPTY_SET_BYTES) {
      if (stored !== undefined) changes.remove(database, key)
    } else if (stored === undefined || Buffer.compare(stored, joined) !== 0) {
      changes.put(database, key, joined, append)
      if (append) last = key
    }
  }
}

function putSharedRows(
  rows: readonly Row[],
  join: Join,
  document: CatalogueDocument,
  changes: Changes,
  shared: Buckets,
): void {
  const max = entriesMax("shared")
  const stateOf = statesIn(document)
  for (const { key, entries } of rows) {
    const stored = shared.copied(key)
    if (isTombstone(stored)) continue
    const joined = join(stored, entries, max, stateOf)
    if (joined.length === EMPTY_SET_BYTES) {
      if (stored !== undefined) changes.remove(shared, key)
    } else if (stored === undefined || Buffer.compare(stored, joined) !== 0) {
      changes.put(shared, key, joined)
    }
  }
}

/**
 * Inside a write transaction: adds the rows of a portion to the shared sets. A portion has all rows
 * of each identity it names.
 */
function mergePortion(
  shared: CheckedDatabase,
  changes: Changes,
  merger: SegmentMerger,
  portion: SegmentBlock,
  { batches }: CatalogueDocument,
): MergedSegment {
  const { count, keys } = portion
  merger.useBatches(batches)
  const last = shared.lastKey()
  const key = Buffer.allocUnsafeSlow(KEY_BYTES)
  let identities = 0
  let known = 0
  // Rows ascend, so once one is after all earlier keys, the others are too.
  let append = false
  for (let from = 0; from < count;) {
    let to = from + 1
    while (to < count && isSameKey(keys, from, to)) to++
    for (let i = 0, at = from * KEY_BYTES; i < KEY_BYTES; i++) key[i] = keys[at + i] as number
    append ||= last === undefined || Buffer.compare(key, last) > 0
    merger.take(portion, from, to)
    const stored = append ? undefined : shared.lent(key)
    if (stored === undefined) {
      changes.put(shared, key, merger.freshSet(), append)
    } else if (!isTombstone(stored)) {
      known += merger.countKnown(stored)
      const joined = merger.joinedSet(stored)
      if (joined !== null) changes.put(shared, key, joined)
    }
    identities++
    from = to
  }
  return { rows: count, identities, known }
}
