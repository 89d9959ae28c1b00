import { LONG } from "../bucket.ts"
import { BucketBuilder } from "../bucket-builder.ts"
import { BucketReader } from "../bucket-reader.ts"
import { cellOf, FIRSTS } from "../cells.ts"
import { isTombstone } from "../entry-set.ts"
import { IndexDamaged, KEY_BYTES, type MergedSegment } from "../exposure-index.ts"
import type { SegmentMerger } from "../segment-merger.ts"
import type { SpelledPortion } from "../spelled-portion.ts"
import { cellsFor, type Part, partsOf } from "./bucket-layout.ts"
import { beginMove, type Into, moveTo } from "./bucket-moves.ts"
import { type Buckets, IDENTITY_DAMAGED } from "./buckets.ts"
import type { Changes } from "./changes.ts"

/**
 * Identities written in one transaction; a server's own write waits for it. Those that move on in
 * order cost a tenth of those whose bucket is written anew where it is.
 */
const MOVED_AT_ONCE = 131_072
const CHANGED_AT_ONCE = 32_768

/** What there is already, in order of the keys. */
interface Before {
  readonly reader: BucketReader
  /** Infinity past the last. */
  readonly first: number
  next(): void
  /** Passes on the one that the reader stands at, as it is. */
  passOne(into: Into): void
  /** Passes on all whose key begins with less. */
  passBelow(below: number, into: Into): void
  /** Whether anybody may have been lost up to the one that the reader stands at. */
  readonly isAnyLost: boolean
  /** Whether somebody whose key begins with this may have been lost. */
  isLostAt(first: number): boolean
}

/**
 * An import of one identity for so many cells moves all. Below one for two cells it costs less to
 * change buckets where they are, but a bucket that grows in a full page splits it, and five stand
 * in a page.
 */
const CELLS_AN_IDENTITY = 4

/** With fewer in a portion, how close together they lie says too little. */
const IDENTITIES_JUDGED_MIN = 256

/**
 * How many identities a segment still has, judged by how close together those of a portion lie;
 * keys are spread evenly. `after`: how the last key before the portion begins. Null: that cannot be
 * told.
 */
export function identitiesExpected(
  { identities, firsts }: SpelledPortion,
  after: number,
  isLast: boolean,
): number | null {
  if (isLast) return identities
  if (identities < IDENTITIES_JUDGED_MIN) return null
  const last = firsts[identities - 1] as number
  return Math.ceil((identities / (last - after + 1)) * (FIRSTS - after))
}

/**
 * Inside a write transaction, before the rows of a portion of a segment. An import that changes
 * many buckets moves all, which leaves full pages.
 */
export function beginMerge(buckets: Buckets, expected: number): void {
  const { cells, next } = buckets.layout
  const identities = buckets.count() + expected
  if (next !== null) return
  const isLarge = CELLS_AN_IDENTITY * expected >= cells || cellsFor(identities) > 2 * cells
  if (isLarge) beginMove(buckets, identities)
}

/**
 * Inside a write transaction: adds the rows of a portion's identities, from one of these on, and
 * returns how many. Where the buckets are being moved, those before the last identity go on to
 * their new place.
 */
export function mergeRows(
  buckets: Buckets,
  changes: Changes,
  merger: SegmentMerger,
  portion: SpelledPortion,
  from: number,
): MergedSegment {
  const merging = new Merging(buckets, changes, merger, portion)
  const { next } = buckets.layout
  const first = portion.firsts[from] as number
  if (next === null || cellOf(first, next.cells) < next.upTo) return merging.inPlace(from)
  return merging.moving(from)
}

class Merging {
  readonly #buckets: Buckets
  readonly #changes: Changes
  readonly #merger: SegmentMerger
  readonly #portion: SpelledPortion
  readonly #counted: number
  #known = 0
  #added = 0

  constructor(buckets: Buckets, changes: Changes, merger: SegmentMerger, portion: SpelledPortion) {
    this.#buckets = buckets
    this.#changes = changes
    this.#merger = merger
    this.#portion = portion
    this.#counted = buckets.count()
  }

  /** Rewrites the buckets of the identities, one after the other. */
  inPlace(from: number): MergedSegment {
    const { firsts, identities } = this.#portion
    const begun = firsts[from] as number
    const [part] = partsOf(this.#buckets.layout).filter(({ end }) => begun < end) as [Part]
    const most = Math.min(identities, from + CHANGED_AT_ONCE)
    const { side, cells } = part
    const builder = new BucketBuilder()
    const before = new OneBucket()
    let at = from
    while (at < most) {
      const first = firsts[at] as number
      if (first >= part.end) break
      const cell = cellOf(first, cells)
      let to = at + 1
      while (to < identities && cellOf(firsts[to] as number, cells) === cell) to++
      this.#buckets.read(before.reader, side, cell, cells)
      builder.begin(cell, cells)
      builder.isLost = before.reader.isLost
      const isChanged = this.#merge(at, to, before, builder)
      before.passBelow(Infinity, builder)
      if (isChanged) this.#buckets.putBucket(side, cell, builder.spelled(cell, cells), false)
      at = to
    }
    return this.#done(from, at)
  }

  /** Moves all identities up to one of the portion, and those with them. */
  moving(from: number): MergedSegment {
    const { firsts, identities, count } = this.#portion
    const { layout } = this.#buckets
    const next = layout.next as NonNullable<typeof layout.next>
    const cellAt = (i: number): number => cellOf(firsts[i] as number, next.cells)
    // As many cells as hold so many identities after the import.
    const whole = (this.#counted + count) / next.cells
    const limit = next.upTo + Math.max(1, Math.floor(MOVED_AT_ONCE / Math.max(1, whole)))
    // Identities without rows, before the first that has some.
    const begun = cellAt(from)
    const upTo = Math.min(
      next.cells,
      Math.max(Math.min(limit, cellAt(identities - 1) + 1), next.upTo + 1),
    )
    if (upTo <= begun) {
      moveTo(this.#buckets, upTo, () => undefined)
      return this.#done(from, from)
    }
    let low = from
    let high = identities
    while (low < high) {
      const middle = (low + high) >>> 1
      if (cellAt(middle) < upTo) low = middle + 1
      else high = middle
    }
    const to = low
    moveTo(this.#buckets, upTo, (unmoved, writer) => {
      this.#merge(from, to, unmoved, writer)
    })
    return this.#done(from, to)
  }

  #done(from: number, to: number): MergedSegment {
    if (this.#added > 0) this.#buckets.counted = this.#counted + this.#added
    const rows = this.#rowsBefore(to) - this.#rowsBefore(from)
    return { rows, identities: to - from, known: this.#known }
  }

  #rowsBefore(i: number): number {
    return i === 0 ? 0 : (this.#portion.rowEnds[i - 1] as number)
  }

  /** Merges the identities with what is before the last of them. False: nothing is new. */
  #merge(from: number, to: number, before: Before, into: Into): boolean {
    const { keys, firsts } = this.#portion
    const merger = this.#merger
    const { reader } = before
    let isChanged = false
    for (let i = from; i < to;) {
      const first = firsts[i] as number
      if (before.first < first) before.passBelow(first, into)
      const newBefore = before.isAnyLost ? i : this.#endOfNew(i, to, before.first)
      if (newBefore > i) {
        into.addSpelled(this.#portion, i, newBefore)
        this.#noteNew(i, newBefore)
        isChanged = true
        i = newBefore
        continue
      }
      const row = this.#rowsBefore(i)
      const at = row * KEY_BYTES
      while (before.first === first && reader.order(first, keys, at + 4) < 0) {
        requireIntact(reader)
        before.passOne(into)
      }
      merger.take(this.#portion, row, this.#rowsBefore(i + 1))
      i++
      if (before.first === first) requireIntact(reader)
      if (before.first !== first || reader.order(first, keys, at + 4) !== 0) {
        // It may be one of those that were lost, and erased.
        if (before.isLostAt(first)) {
          throw new IndexDamaged("Identities of the index were lost where a row belongs")
        }
        const fresh = merger.freshSet()
        into.add(first, keys, at + 4, fresh, 0, fresh.length)
        this.#added++
      } else {
        const stored = reader.bytes.subarray(reader.setFrom, reader.setTo)
        const isErased = isTombstone(stored)
        if (!isErased) this.#known += merger.countKnown(stored)
        const joined = isErased ? null : merger.joinedSet(stored)
        if (joined === null) {
          before.passOne(into)
          continue
        }
        into.add(first, keys, at + 4, joined, 0, joined.length)
        before.next()
      }
      isChanged = true
      this.#changes.noted(keys, at)
    }
    return isChanged
  }

  /** The identity after those from `i` on whose keys begin with less and whose sets are spelled. */
  #endOfNew(i: number, to: number, below: number): number {
    const { firsts, lengths } = this.#portion
    let end = i
    while (end < to && (firsts[end] as number) < below && lengths[end] !== LONG) end++
    return end
  }

  #noteNew(from: number, to: number): void {
    this.#added += to - from
    if (!this.#changes.noting) return
    const { keys } = this.#portion
    for (let i = from; i < to; i++) this.#changes.noted(keys, this.#rowsBefore(i) * KEY_BYTES)
  }
}

class OneBucket implements Before {
  readonly reader = new BucketReader()

  get first(): number {
    return this.reader.i < this.reader.count ? this.reader.first : Infinity
  }

  next(): void {
    this.reader.next()
  }

  passOne(into: Into): void {
    into.addOne(this.reader)
  }

  passBelow(below: number, into: Into): void {
    into.addBelow(this.reader, below)
  }

  get isAnyLost(): boolean {
    return this.reader.isLost
  }

  isLostAt(): boolean {
    return this.reader.isLost
  }
}

/** Nothing is added to a damaged identity, nor beside one that may have been the same. */
function requireIntact(reader: BucketReader): void {
  if (!reader.isIntact) throw new IndexDamaged(IDENTITY_DAMAGED)
}
