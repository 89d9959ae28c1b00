import { checkOf, ITEM_BYTES, LONG, REST_BYTES } from "./bucket.ts"
import { firstOf } from "./cells.ts"
import { KEY_BYTES } from "./exposure-index.ts"
import type { SegmentBlock } from "./segment-block.ts"
import type { SegmentMerger } from "./segment-merger.ts"

/**
 * Identities in order, each with the set that it has where nothing is stored of it yet, spelled as
 * a bucket has it.
 */
export interface SpelledSets {
  /** The first four bytes of each key. */
  readonly firsts: Uint32Array
  /** The other bytes of each key, and the checksum of key and set. */
  readonly items: Uint8Array
  /** How long each set is. LONG: it does not stand here. */
  readonly lengths: Uint8Array
  /** Where each set begins among the sets, and where the last one ends. */
  readonly setsFrom: Uint32Array
  readonly sets: Uint8Array
}

/** Rows of a segment by identity. All rows of an identity are in one portion. */
export interface SpelledPortion extends SegmentBlock, SpelledSets {
  readonly identities: number
  /** Of each identity, the row after its last one. */
  readonly rowEnds: Uint32Array
}

const SET_BYTES_USUAL = 16

/** Spells the sets of a portion, whose rows are in order, as those of the merger's batch. */
export function spelledPortion(portion: SegmentBlock, merger: SegmentMerger): SpelledPortion {
  const { count, keys } = portion
  const identities = identitiesIn(portion)
  const rowEnds = new Uint32Array(identities)
  const firsts = new Uint32Array(identities)
  const items = new Uint8Array(identities * ITEM_BYTES)
  const lengths = new Uint8Array(identities)
  const setsFrom = new Uint32Array(identities + 1)
  let sets = new Uint8Array(identities * SET_BYTES_USUAL)
  let used = 0
  for (let i = 0, from = 0; i < identities; i++) {
    let to = from + 1
    while (to < count && isSameKey(keys, from, to)) to++
    rowEnds[i] = to
    const at = from * KEY_BYTES
    const first = firstOf(keys, at)
    firsts[i] = first
    const item = i * ITEM_BYTES
    for (let n = 0; n < REST_BYTES; n++) items[item + n] = keys[at + 4 + n] as number
    setsFrom[i] = used
    merger.take(portion, from, to)
    const set = merger.spelledSet()
    if (set === null || set.length >= LONG) {
      lengths[i] = LONG
    } else {
      const length = set.length
      if (used + length > sets.length) sets = larger(sets)
      for (let n = 0; n < length; n++) sets[used + n] = set[n] as number
      const check = checkOf(first, items, item, sets, used, used + length)
      items[item + REST_BYTES] = check >>> 8
      items[item + REST_BYTES + 1] = check
      lengths[i] = length
      used += length
    }
    from = to
  }
  setsFrom[identities] = used
  return { ...portion, identities, rowEnds, firsts, items, lengths, setsFrom, sets }
}

function identitiesIn({ count, keys }: SegmentBlock): number {
  let identities = Math.min(count, 1)
  for (let row = 1; row < count; row++) if (!isSameKey(keys, row - 1, row)) identities++
  return identities
}

/** Whether two rows are of one identity. */
export function isSameKey(keys: Uint8Array, a: number, b: number): boolean {
  const [atA, atB] = [a * KEY_BYTES, b * KEY_BYTES]
  // From the end: sorted neighbours differ there most surely.
  for (let i = KEY_BYTES - 1; i >= 0; i--) if (keys[atA + i] !== keys[atB + i]) return false
  return true
}

function larger(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const room = new Uint8Array(2 * bytes.length + LONG)
  room.set(bytes)
  return room
}
