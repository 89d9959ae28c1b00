import { BucketBuilder, BucketReader, findInBucket, isIntactBucket, place } from "../bucket.ts"
import { cellOf, CELLS_MAX, cellStart, FIRSTS, firstOf } from "../cells.ts"
import { IndexDamaged } from "../exposure-index.ts"
import { FIRST_LAYOUT, type Layout, type Side } from "./bucket-layout.ts"
import type {
  BareDatabase,
  CheckedDatabase,
  RangeOptions,
  ReadAt,
  StoredSet,
} from "./checked-database.ts"
import { putLayout, readLayoutOf } from "./stored.ts"

/**
 * Identities in a bucket, where they are as many as expected. Fewer take more of what each bucket
 * costs by itself, more leave more of each page empty and make a look-up read more.
 */
const IDENTITIES_WANTED = 24
/** A bucket of so many has its neighbours spread over more cells. */
const IDENTITIES_MANY = 96
const COUNT = Buffer.from("identities")
const COUNT_BYTES = 6

type PutSync = (key: Uint8Array, value: Uint8Array, options?: { append: boolean }) => void
type GetFast = (key: Uint8Array, at?: ReadAt) => Uint8Array | undefined
const APPEND = { append: true }

/** How many cells so many identities get. */
export function cellsFor(identities: number): number {
  return Math.min(CELLS_MAX, Math.max(1, Math.ceil(identities / IDENTITIES_WANTED)))
}

/**
 * Entry sets by identity, those of each cell in one value. Every cell has a bucket, if an empty
 * one: a bucket that is missing is damage, and one that is there and whole says of every key of its
 * cell whether anything is known.
 */
export class Buckets {
  readonly sides: readonly [BareDatabase, BareDatabase]
  readonly #meta: CheckedDatabase
  readonly #key = Buffer.alloc(4)
  readonly #reader = new BucketReader()
  readonly #builder = new BucketBuilder()

  constructor(sides: readonly [BareDatabase, BareDatabase], meta: CheckedDatabase) {
    this.sides = sides
    this.#meta = meta
  }

  /** Inside a write transaction: makes it one of nobody, if there is nothing yet. */
  prepare(): void {
    if (readLayoutOf(this.#meta) !== null) return
    this.layout = FIRST_LAYOUT
    this.#builder.begin(0, 1)
    this.putBucket(FIRST_LAYOUT.side, 0, this.#builder.spelled(0, 1), false)
    this.counted = 0
  }

  /** Inside a write transaction. */
  get layout(): Layout {
    return this.layoutAt()
  }

  set layout(layout: Layout) {
    putLayout(this.#meta, layout)
  }

  /** Inside a write transaction: what the index says of its buckets. */
  get described(): { readonly layout: Layout; readonly identities: number } {
    return { layout: this.layout, identities: this.count() }
  }

  set described({ layout, identities }) {
    this.layout = layout
    this.counted = identities
  }

  layoutAt(at?: ReadAt): Layout {
    const layout = readLayoutOf(this.#meta, at)
    if (layout === null) throw new IndexDamaged("The index does not say where its buckets are")
    return layout
  }

  count(at?: ReadAt): number {
    const stored = this.#meta.copied(COUNT, at)
    if (stored?.length !== COUNT_BYTES) throw new IndexDamaged("The index does not say its size")
    return Buffer.from(stored).readUIntBE(0, COUNT_BYTES)
  }

  /** Inside a write transaction. */
  set counted(identities: number) {
    const bytes = Buffer.alloc(COUNT_BYTES)
    bytes.writeUIntBE(identities, 0, COUNT_BYTES)
    this.#meta.put(COUNT, bytes)
  }

  /** The stored set of a key, good until the next read. */
  found(key: Uint8Array, at: ReadAt | undefined, layout: Layout): Uint8Array | undefined {
    const first = firstOf(key)
    let { side, cells } = layout
    let cell = -1
    if (layout.next !== null) {
      const moved = cellOf(first, layout.next.cells)
      if (moved < layout.next.upTo) {
        cell = moved
        cells = layout.next.cells
        side = other(side)
      }
    }
    if (cell < 0) cell = cellOf(first, cells)
    const bytes = this.bucket(side, cell, cells, at)
    return findInBucket(bytes, key, cell, cells) ? bytes.subarray(place.from, place.to) : undefined
  }

  /** Inside a write transaction. */
  copied(key: Uint8Array): Uint8Array | undefined {
    const found = this.found(key, undefined, this.layout)
    return found && Uint8Array.prototype.slice.call(found)
  }

  /** Inside a write transaction. */
  put(key: Uint8Array, value: Uint8Array): void {
    if (this.#change(key, value)) this.#grow()
  }

  /** Inside a write transaction. */
  remove(key: Uint8Array): void {
    this.#change(key, null)
  }

  /** A whole bucket, good until the next read. */
  bucket(side: Side, cell: number, cells: number, at?: ReadAt): Uint8Array {
    const key = this.#key
    key.writeUInt32BE(cell)
    const bare = this.sides[side]
    const bytes = (bare as unknown as { getBinaryFast: GetFast }).getBinaryFast(key, at)
    if (bytes === undefined) throw new IndexDamaged("A part of the index is missing")
    if (!isIntactBucket(bytes, bytes.length, cell, cells)) {
      throw new IndexDamaged("A part of the index does not have its checksum")
    }
    return bytes
  }

  /** Inside a write transaction. `append`: the cell is higher than all cells of this side. */
  putBucket(side: Side, cell: number, bytes: Uint8Array, append: boolean): void {
    this.#key.writeUInt32BE(cell)
    const bare = this.sides[side]
    ;(bare.putSync as PutSync).call(bare, this.#key, bytes, append ? APPEND : undefined)
  }

  /** Inside a write transaction. */
  removeBucket(side: Side, cell: number): void {
    this.#key.writeUInt32BE(cell)
    this.sides[side].removeSync(this.#key)
  }

  /**
   * The sets from `start` on. A bucket that is damaged or missing is one that is not intact, under
   * the lowest key of its cell.
   */
  *range({ start, limit = Infinity }: RangeOptions, at?: ReadAt): Generator<StoredSet> {
    const layout = this.layoutAt(at)
    let left = limit
    let from = start === undefined ? 0 : firstOf(start)
    for (const part of partsOf(layout)) {
      if (from >= part.end) continue
      for (let cell = cellOf(from, part.cells); left > 0 && cell < part.cells; cell++) {
        if (cellStart(cell, part.cells) >= part.end) break
        for (const set of this.#setsOf(part, cell, at)) {
          if (set.intact && start !== undefined && Buffer.compare(set.key, start) < 0) continue
          yield set
          if (--left <= 0) return
        }
      }
      from = part.end
    }
  }

  *#setsOf(
    { side, cells, from, end }: Part,
    cell: number,
    at: ReadAt | undefined,
  ): Generator<StoredSet> {
    // Its own, and of bytes of its own: the caller may read between two sets.
    const reader = new BucketReader()
    try {
      const lent = this.bucket(side, cell, cells, at)
      reader.read(Uint8Array.prototype.slice.call(lent, 0, lent.length), cell, cells)
    } catch (error) {
      if (!(error instanceof IndexDamaged)) throw error
      const key = Buffer.alloc(16)
      key.writeUInt32BE(Math.max(from, cellStart(cell, cells)))
      yield { key, value: Buffer.alloc(0), intact: false }
      return
    }
    for (; reader.i < reader.count; reader.next()) {
      if (reader.first < from) continue
      if (reader.first >= end) return
      const value = reader.bytes.subarray(reader.setFrom, reader.setTo)
      yield { key: reader.key(), value, intact: true }
    }
  }

  /** Writes the bucket of a key with another set, or without it; true: there is one more. */
  #change(key: Uint8Array, value: Uint8Array | null): boolean {
    const first = firstOf(key)
    const { side, cells } = partOf(this.layout, first)
    const cell = cellOf(first, cells)
    const reader = this.#reader
    reader.read(this.bucket(side, cell, cells), cell, cells)
    const builder = this.#builder
    builder.begin(cell, cells)
    builder.addBelow(reader, first)
    while (reader.i < reader.count && order(reader, first, key, 4) < 0) addOne(reader, builder)
    const had = reader.i < reader.count && order(reader, first, key, 4) === 0
    if (value !== null) builder.add(first, key, 4, value, 0, value.length)
    if (had) reader.next()
    builder.addBelow(reader, Infinity)
    if (value === null && !had) return false
    this.putBucket(side, cell, builder.spelled(cell, cells), false)
    const more = Number(value !== null) - Number(had)
    if (more !== 0) this.counted = this.count() + more
    return more > 0
  }

  /** Spreads the identities over more cells, once they are far too many for those there are. */
  #grow(): void {
    const { cells, next } = this.layout
    if (next !== null) return
    const identities = this.count()
    if (identities <= cells * IDENTITIES_MANY) return
    beginMove(this, 2 * identities)
    while (moveOn(this, identities)) continue
  }
}

/** A row of cells that are in use, for keys whose first is from `from` on and below `end`. */
export interface Part {
  readonly side: Side
  readonly cells: number
  readonly from: number
  readonly end: number
}

export function partsOf({ side, cells, next }: Layout): Part[] {
  if (next === null) return [{ side, cells, from: 0, end: FIRSTS }]
  const between = cellStart(next.upTo, next.cells)
  return [
    { side: other(side), cells: next.cells, from: 0, end: between },
    { side, cells, from: between, end: FIRSTS },
  ]
}

export function partOf(layout: Layout, first: number): Part {
  const [one, two] = partsOf(layout) as [Part, Part?]
  return two !== undefined && first >= two.from ? two : one
}

export function other(side: Side): Side {
  return side === 0 ? 1 : 0
}

/** How the key of the identity a reader stands at compares with another. */
export function order(
  reader: BucketReader,
  first: number,
  rests: Uint8Array,
  restAt: number,
): number {
  if (reader.first !== first) return reader.first - first
  const { bytes, restAt: at } = reader
  for (let n = 0; n < 12; n++) {
    const difference = (bytes[at + n] as number) - (rests[restAt + n] as number)
    if (difference !== 0) return difference
  }
  return 0
}

/** Where identities go, in order of their keys. */
export type Into = Pick<BucketBuilder, "add" | "addBelow">

/** Writes the cells of one side one after the other. */
export class CellWriter implements Into {
  readonly #buckets: Buckets
  readonly #side: Side
  readonly #cells: number
  readonly #builder = new BucketBuilder()
  /** The cell being collected, and where the next begins. */
  #cell: number
  #end = 0

  constructor(buckets: Buckets, side: Side, cells: number, cell: number) {
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
  ): void {
    const cell = cellOf(first, this.#cells)
    if (cell !== this.#cell) this.upTo(cell)
    this.#builder.add(first, rests, restAt, sets, from, to)
  }

  /**
   * Inside a write transaction: adds those of a bucket from the one the reader stands at up to the
   * first whose key begins with `below` or more, and moves the reader there.
   */
  addBelow(reader: BucketReader, below: number): void {
    while (reader.i < reader.count && reader.first < below) {
      const cell = cellOf(reader.first, this.#cells)
      if (cell !== this.#cell) this.upTo(cell)
      this.#builder.addBelow(reader, Math.min(below, this.#end))
    }
  }

  /** Inside a write transaction: writes all cells before this one. */
  upTo(cell: number): void {
    while (this.#cell < cell) {
      const bytes = this.#builder.spelled(this.#cell, this.#cells)
      this.#buckets.putBucket(this.#side, this.#cell, bytes, true)
      this.#cell++
      if (this.#cell < this.#cells) this.#begin()
    }
  }

  #begin(): void {
    this.#builder.begin(this.#cell, this.#cells)
    this.#end = cellStart(this.#cell + 1, this.#cells)
  }
}

/** Fills an index of nobody with identities in order, in as many transactions as are wanted. */
export class Filling {
  readonly #buckets: Buckets
  readonly #cells: number
  readonly #writer: CellWriter
  #identities = 0

  constructor(buckets: Buckets, identities: number) {
    this.#buckets = buckets
    this.#cells = cellsFor(identities)
    this.#writer = new CellWriter(buckets, other(FIRST_LAYOUT.side), this.#cells, 0)
  }

  /** Inside a write transaction. */
  add(key: Uint8Array, set: Uint8Array): void {
    this.#writer.add(firstOf(key), key, 4, set, 0, set.length)
    this.#identities++
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
  readonly #buckets: Buckets
  readonly #side: Side
  readonly #cells: number
  readonly #from: number
  #cell: number

  constructor(buckets: Buckets, { side, cells, from }: Part) {
    this.#buckets = buckets
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

  /** Passes on all whose key begins with less. */
  passBelow(below: number, into: Into): void {
    while (this.first < below) {
      into.addBelow(this.reader, below)
      if (this.reader.i >= this.reader.count) this.#load()
    }
  }

  #load(): void {
    const { reader } = this
    while (++this.#cell < this.#cells) {
      reader.read(
        this.#buckets.bucket(this.#side, this.#cell, this.#cells),
        this.#cell,
        this.#cells,
      )
      while (reader.i < reader.count && reader.first < this.#from) reader.next()
      if (reader.i < reader.count) return
    }
  }
}

/** Inside a write transaction: begins to move all identities into cells for so many. */
export function beginMove(buckets: Buckets, identities: number): void {
  const { side, cells, next } = buckets.layout
  if (next === null)
    buckets.layout = { side, cells, next: { cells: cellsFor(identities), upTo: 0 } }
}

/** Inside a write transaction: moves about so many identities on. False once none are left. */
export function moveOn(buckets: Buckets, identities: number): boolean {
  const { next } = buckets.layout
  if (next === null) return false
  const cells = Math.max(1, Math.floor(identities / IDENTITIES_WANTED))
  moveTo(buckets, Math.min(next.cells, next.upTo + cells), () => undefined)
  return true
}

/**
 * Inside a write transaction: moves all identities before a cell of the other side. `merge` first
 * writes those that come together with others.
 */
export function moveTo(
  buckets: Buckets,
  upTo: number,
  merge: (unmoved: Unmoved, writer: CellWriter) => void,
): void {
  const { side, cells, next } = buckets.layout
  if (next === null) throw new RangeError("nothing is being moved")
  const from = cellStart(next.upTo, next.cells)
  const end = upTo === next.cells ? FIRSTS : cellStart(upTo, next.cells)
  const unmoved = new Unmoved(buckets, { side, cells, from, end: FIRSTS })
  const writer = new CellWriter(buckets, other(side), next.cells, next.upTo)
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

/** Adds the one that the reader stands at, and moves it on. */
export function addOne(reader: BucketReader, into: Into): void {
  const { bytes } = reader
  into.add(reader.first, bytes, reader.restAt, bytes, reader.setFrom, reader.setTo)
  reader.next()
}
