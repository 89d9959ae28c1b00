import type { CatalogueDocument } from "../catalogue.ts"
import { isTombstone } from "../entry-set.ts"
import { KEY_BYTES, type MergedSegment } from "../exposure-index.ts"
import type { SegmentBlock } from "../segment-block.ts"
import type { SegmentMerger } from "../segment-merger.ts"
import type { Changes } from "./changes.ts"
import type { CheckedDatabase } from "./checked-database.ts"

/**
 * Inside a write transaction: adds the rows of a portion, all rows of each identity it names, to
 * what is shared.
 */
export function mergePortion(
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
  // Rows ascend, so once one is behind all that was there before, the others are.
  let append = false
  for (let from = 0; from < count;) {
    let to = from + 1
    while (to < count && sameKey(keys, from, to)) to++
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

function sameKey(keys: Uint8Array, a: number, b: number): boolean {
  const [atA, atB] = [a * KEY_BYTES, b * KEY_BYTES]
  // From the end: sorted neighbours differ there most surely.
  for (let i = KEY_BYTES - 1; i >= 0; i--) if (keys[atA + i] !== keys[atB + i]) return false
  return true
}
