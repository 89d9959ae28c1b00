import { BucketBuilder } from "../bucket-builder.ts"
import { BucketReader } from "../bucket-reader.ts"
import { cellOf, FIRSTS, firstOf } from "../cells.ts"
import { isTombstone } from "../entry-set.ts"
import { IndexDamaged, KEY_BYTES, type MergedSegment } from "../exposure-index.ts"
import type { SegmentBlock } from "../segment-block.ts"
import type { SegmentMerger } from "../segment-merger.ts"
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
  { count, keys }: SegmentBlock,
  after: number,
  isLast: boolean,
): number | null {
  let identities = 1
  for (let row = 1; row < count; row++) if (!sameKey(keys, row - 1, row)) identities++
  if (isLast) return identities
  if (identities < IDENTITIES_JUDGED_MIN) return null
  const last = firstOf(keys, (count - 1) * KEY_BYTES)
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
 * Inside a write transaction: adds rows of a portion, from one on, and returns how many. Where the
 * buckets are being moved, those before the last row go on to their new place.
 */
export function mergeRows(
  buckets: Buckets,
  changes: Changes,
  merger: SegmentMerger,
  portion: SegmentBlock,
  from: number,
): MergedSegment {
  const merging = new Merging(buckets, changes, merger, portion)
  const { next } = buckets.layout
  const first = firstOf(portion.keys, from * KEY_BYTES)
  if (next === null || cellOf(first, next.cells) < next.upTo) return merging.inPlace(from)
  return merging.moving(from)
}

class Merging {
  readonly #buckets: Buckets
  readonly #changes: Changes
  readonly #merger: SegmentMerger
  readonly #portion: SegmentBlock
  readonly #counted: number
  #identities = 0
  #known = 0
  #added = 0

  constructor(buckets: Buckets, changes: Changes, merger: SegmentMerger, portion: SegmentBlock) {
    this.#buckets = buckets
    this.#changes = changes
    this.#merger = merger
    this.#portion = portion
    this.#counted = buckets.count()
  }

  /** Rewrites the buckets of the rows, one after the other. */
  inPlace(from: number): MergedSegment {
    const { keys, count } = this.#portion
    const [part] = partsOf(this.#buckets.layout).filter(
      ({ end }) => firstOf(keys, from * KEY_BYTES) < end,
    ) as [Part]
    const most = Math.min(count, from + CHANGED_AT_ONCE)
    const { side, cells } = part
    const builder = new BucketBuilder()
    const before = new OneBucket()
    let row = from
    while (row < most) {
      const first = firstOf(keys, row * KEY_BYTES)
      if (first >= part.end) break
      const cell = cellOf(first, cells)
      const to = endOfCell(this.#portion, row, cell, cells, count)
      this.#buckets.read(before.reader, side, cell, cells)
      builder.begin(cell, cells)
      builder.isLost = before.reader.isLost
      const isChanged = this.#merge(row, to, before, builder)
      before.passBelow(Infinity, builder)
      if (isChanged) this.#buckets.putBucket(side, cell, builder.spelled(cell, cells), false)
      row = to
    }
    return this.#done(row - from)
  }

  /** Moves all identities up to a row, and the rows with them. */
  moving(from: number): MergedSegment {
    const { keys, count } = this.#portion
    const { layout } = this.#buckets
    const next = layout.next as NonNullable<typeof layout.next>
    const cellAt = (row: number): number => cellOf(firstOf(keys, row * KEY_BYTES), next.cells)
    // As many cells as hold so many identities after the import.
    const whole = (this.#counted + count) / next.cells
    const limit = next.upTo + Math.max(1, Math.floor(MOVED_AT_ONCE / Math.max(1, whole)))
    // Identities without rows, before the first that has some.
    const begun = cellAt(from)
    const upTo = Math.min(
      next.cells,
      Math.max(Math.min(limit, cellAt(count - 1) + 1), next.upTo + 1),
    )
    if (upTo <= begun) {
      moveTo(this.#buckets, upTo, () => undefined)
      return this.#done(0)
    }
    let to = from
    let low = from
    let high = count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (cellAt(middle) < upTo) low = middle + 1
      else high = middle
    }
    to = low
    moveTo(this.#buckets, upTo, (unmoved, writer) => {
      this.#merge(from, to, unmoved, writer)
    })
    return this.#done(to - from)
  }

  #done(rows: number): MergedSegment {
    if (this.#added > 0) this.#buckets.counted = this.#counted + this.#added
    return { rows, identities: this.#identities, known: this.#known }
  }

  /** Merges the rows with what is before the last of them. False: nothing is new. */
  #merge(from: number, to: number, before: Before, into: Into): boolean {
    const { keys } = this.#portion
    const merger = this.#merger
    const { reader } = before
    let isChanged = false
    for (let row = from; row < to;) {
      const at = row * KEY_BYTES
      const first = firstOf(keys, at)
      if (before.first < first) before.passBelow(first, into)
      while (before.first === first && reader.order(first, keys, at + 4) < 0) {
        requireIntact(reader)
        before.passOne(into)
      }
      let end = row + 1
      while (end < to && sameKey(keys, row, end)) end++
      merger.take(this.#portion, row, end)
      this.#identities++
      row = end
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

  isLostAt(): boolean {
    return this.reader.isLost
  }
}

/** Nothing is added to a damaged identity, nor beside one that may have been the same. */
function requireIntact(reader: BucketReader): void {
  if (!reader.isIntact) throw new IndexDamaged(IDENTITY_DAMAGED)
}

/** The first row from `row` on that is not of the cell. */
function endOfCell(
  { keys }: SegmentBlock,
  row: number,
  cell: number,
  cells: number,
  count: number,
): number {
  let end = row + 1
  while (end < count && cellOf(firstOf(keys, end * KEY_BYTES), cells) === cell) end++
  return end
}

function sameKey(keys: Uint8Array, a: number, b: number): boolean {
  const [atA, atB] = [a * KEY_BYTES, b * KEY_BYTES]
  // From the end: sorted neighbours differ there most surely.
  for (let i = KEY_BYTES - 1; i >= 0; i--) if (keys[atA + i] !== keys[atB + i]) return false
  return true
}
