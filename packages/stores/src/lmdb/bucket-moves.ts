import { checkOf } from "../bucket.ts"
import { BucketBuilder } from "../bucket-builder.ts"
import { BucketReader } from "../bucket-reader.ts"
import { cellOf, cellStart, FIRSTS, firstOf } from "../cells.ts"
import { IndexDamaged } from "../exposure-index.ts"
import type { SpelledSets } from "../spelled-portion.ts"
import {
  cellsFor,
  FIRST_LAYOUT,
  IDENTITIES_WANTED,
  type Layout,
  other,
  type Part,
  type Side,
} from "./bucket-layout.ts"

/** What a move needs of an index in buckets; all of it inside a write transaction. */
export interface MovedBuckets {
  layout: Layout
  counted: number
  read(reader: BucketReader, side: Side, cell: number, cells: number): void
  putBucket(side: Side, cell: number, bytes: Uint8Array, append: boolean): void
  removeBucket(side: Side, cell: number): void
}

/** Where identities go, in order of their keys. */
export type Into = Pick<BucketBuilder, "add" | "addOne" | "addBelow" | "addSpelled">

/** First four bytes of keys, from one on and below another. */
interface Span {
  readonly from: number
  end: number
}

/** Writes the cells of one side one after the other. */
export class CellWriter implements Into {
  readonly #buckets: MovedBuckets
  readonly #side: Side
  readonly #cells: number
  readonly #builder = new BucketBuilder()
  /** The cell being collected, and where the next begins. */
  #cell: number
  #end = 0
  /** What was lost and is not wholly written yet, in order. */
  #lost: Span[] = []

  constructor(buckets: MovedBuckets, side: Side, cells: number, cell: number) {
    this.#buckets = buckets
    this.#side = side
    this.#cells = cells
    this.#cell = cell
    this.#begin()
  }

  /** Inside a write transaction. Keys come in order. */
  add(
    first: number,
    rests: Uint8Array,
    restAt: number,
    sets: Uint8Array,
    from: number,
    to: number,
    check?: number,
  ): void {
    this.upTo(cellOf(first, this.#cells))
    this.#builder.add(first, rests, restAt, sets, from, to, check)
  }

  /** Inside a write transaction. */
  addOne(reader: BucketReader): void {
    this.upTo(cellOf(reader.first, this.#cells))
    this.#builder.addOne(reader)
  }

  /**
   * Inside a write transaction: adds those of a bucket from the one the reader stands at up to the
   * first whose key begins with `below` or more, and moves the reader there.
   */
  addBelow(reader: BucketReader, below: number): void {
    while (reader.i < reader.count && reader.first < below) {
      this.upTo(cellOf(reader.first, this.#cells))
      this.#builder.addBelow(reader, Math.min(below, this.#end))
    }
  }

  /** Inside a write transaction: those from one on and before another. */
  addSpelled(spelled: SpelledSets, from: number, to: number): void {
    const { firsts } = spelled
    for (let at = from; at < to;) {
      this.upTo(cellOf(firsts[at] as number, this.#cells))
      const begun = at
      while (at < to && (firsts[at] as number) < this.#end) at++
      this.#builder.addSpelled(spelled, begun, at)
    }
  }

  /**
   * Identities whose keys begin with these were lost. Said before anything that comes after `from`
   * is added.
   */
  lose(span: Span): void {
    this.#lost.push(span)
  }

  /** Inside a write transaction: writes all cells before this one. */
  upTo(cell: number): void {
    while (this.#cell < cell) {
      if (this.#lost.length > 0) this.#noteLost()
      const bytes = this.#builder.spelled(this.#cell, this.#cells)
      this.#buckets.putBucket(this.#side, this.#cell, bytes, true)
      this.#cell++
      if (this.#cell < this.#cells) this.#begin()
    }
  }

  #noteLost(): void {
    this.#builder.isLost = this.#lost.some(({ from, end }) => from < this.#end && end > this.#start)
    this.#lost = this.#lost.filter(({ end }) => end > this.#end)
  }

  get #start(): number {
    return cellStart(this.#cell, this.#cells)
  }

  #begin(): void {
    this.#builder.begin(this.#cell, this.#cells)
    this.#end = cellStart(this.#cell + 1, this.#cells)
  }
}

/** Fills an index of nobody with identities in order, in as many transactions as are wanted. */
export class Filling {
  readonly #buckets: MovedBuckets
  readonly #cells: number
  readonly #writer: CellWriter
  #identities = 0
  /** How the key added last begins, and what was lost since. */
  #last = 0
  #open: Span | null = null

  constructor(buckets: MovedBuckets, identities: number) {
    this.#buckets = buckets
    this.#cells = cellsFor(identities)
    this.#writer = new CellWriter(buckets, other(FIRST_LAYOUT.side), this.#cells, 0)
  }

  /** Inside a write transaction. Null: nothing is kept of the key, which stands here by right. */
  add(key: Uint8Array, set: Uint8Array | null): void {
    const first = firstOf(key)
    if (this.#open !== null) {
      this.#open.end = first + 1
      this.#open = null
    }
    this.#last = first
    if (set === null) return
    this.#writer.add(first, key, 4, set, 0, set.length)
    this.#identities++
  }

  /** Inside a write transaction: a set of a bucket that was not intact, which stays that. */
  addDamaged(key: Uint8Array, set: Uint8Array): void {
    const first = firstOf(key)
    const check = checkOf(first, key, 4, set, 0, set.length) ^ 0xffff
    this.#writer.add(first, key, 4, set, 0, set.length, check)
    this.#identities++
  }

  /** Those whose keys begin with these were lost. */
  lose(span: { readonly from: number; readonly end: number }): void {
    this.#writer.lose(span)
  }

  /** Somebody whose key lies between the one added last and the next one was lost. */
  loseOne(): void {
    if (this.#open !== null) return
    this.#open = { from: this.#last, end: FIRSTS }
    this.#writer.lose(this.#open)
  }

  /** Inside a write transaction. */
  end(): void {
    this.#writer.upTo(this.#cells)
    this.#buckets.removeBucket(FIRST_LAYOUT.side, 0)
    this.#buckets.layout = { side: other(FIRST_LAYOUT.side), cells: this.#cells, next: null }
    this.#buckets.counted = this.#identities
  }
}

/** The identities of a part of the old side that are still to be moved, in order. */
export class Unmoved {
  readonly reader = new BucketReader()
  readonly #buckets: MovedBuckets
  readonly #side: Side
  readonly #cells: number
  readonly #from: number
  readonly #lose: (lost: Span) => void
  readonly #lost: Span[] = []
  #cell: number

  constructor(buckets: MovedBuckets, { side, cells, from }: Part, lose: (lost: Span) => void) {
    this.#buckets = buckets
    this.#lose = lose
    this.#side = side
    this.#cells = cells
    this.#from = from
    this.#cell = cellOf(from, cells) - 1
    this.#load()
  }

  /** Infinity past the last. */
  get first(): number {
    return this.reader.i < this.reader.count ? this.reader.first : Infinity
  }

  next(): void {
    this.reader.next()
    if (this.reader.i >= this.reader.count) this.#load()
  }

  passOne(into: Into): void {
    into.addOne(this.reader)
    if (this.reader.i >= this.reader.count) this.#load()
  }

  /** Whether anybody was lost before where the reader stands. */
  get isAnyLost(): boolean {
    return this.#lost.length > 0
  }

  isLostAt(first: number): boolean {
    return this.#lost.some(({ from, end }) => first >= from && first < end)
  }

  passBelow(below: number, into: Into): void {
    while (this.first < below) {
      into.addBelow(this.reader, below)
      if (this.reader.i >= this.reader.count) this.#load()
    }
  }

  #load(): void {
    const { reader } = this
    while (++this.#cell < this.#cells) {
      this.#buckets.read(reader, this.#side, this.#cell, this.#cells)
      if (reader.isLost) {
        const [from, end] = [this.#cell, this.#cell + 1].map((at) => cellStart(at, this.#cells))
        const span = { from: from as number, end: end as number }
        this.#lost.push(span)
        this.#lose(span)
      }
      while (reader.i < reader.count && reader.first < this.#from) reader.next()
      if (reader.i < reader.count) return
    }
  }
}

/** Inside a write transaction: begins to move all identities into cells for so many. */
export function beginMove(buckets: MovedBuckets, identities: number): void {
  const { side, cells, next } = buckets.layout
  if (next === null)
    buckets.layout = { side, cells, next: { cells: cellsFor(identities), upTo: 0 } }
}

/** Inside a write transaction: moves about so many identities on. False once none are left. */
export function moveOn(buckets: MovedBuckets, identities: number): boolean {
  const { next } = buckets.layout
  if (next === null) return false
  moveTo(buckets, stepFrom(next, identities), () => undefined)
  return true
}

/** As `moveOn`, unless a bucket that cannot be read is in the way: then nothing is moved. */
export function moveOnIfReadable(buckets: MovedBuckets, identities: number): void {
  const { side, cells, next } = buckets.layout
  if (next === null) return
  const upTo = stepFrom(next, identities)
  const from = cellStart(next.upTo, next.cells)
  try {
    const unmoved = new Unmoved(buckets, { side, cells, from, end: FIRSTS }, () => undefined)
    while (unmoved.first < cellStart(upTo, next.cells)) unmoved.next()
  } catch (error) {
    if (error instanceof IndexDamaged) return
    throw error
  }
  moveTo(buckets, upTo, () => undefined)
}

function stepFrom({ cells, upTo }: NonNullable<Layout["next"]>, identities: number): number {
  return Math.min(cells, upTo + Math.max(1, Math.floor(identities / IDENTITIES_WANTED)))
}

/**
 * Inside a write transaction: moves all identities before a cell of the other side. `merge` first
 * writes those that come together with others.
 */
export function moveTo(
  buckets: MovedBuckets,
  upTo: number,
  merge: (unmoved: Unmoved, writer: CellWriter) => void,
): void {
  const { side, cells, next } = buckets.layout
  if (next === null) throw new RangeError("nothing is being moved")
  const from = cellStart(next.upTo, next.cells)
  const end = upTo === next.cells ? FIRSTS : cellStart(upTo, next.cells)
  const writer = new CellWriter(buckets, other(side), next.cells, next.upTo)
  const unmoved = new Unmoved(buckets, { side, cells, from, end: FIRSTS }, (lost) =>
    writer.lose(lost),
  )
  merge(unmoved, writer)
  unmoved.passBelow(end, writer)
  writer.upTo(upTo)
  const over = end === FIRSTS ? cells : cellOf(end, cells)
  for (let cell = cellOf(from, cells); cell < over; cell++) buckets.removeBucket(side, cell)
  buckets.layout =
    upTo === next.cells
      ? { side: other(side), cells: next.cells, next: null }
      : { side, cells, next: { cells: next.cells, upTo } }
}
