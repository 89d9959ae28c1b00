import { DAMAGED, findInBucket, FOUND, hasWholeHead, place } from "../bucket.ts"
import { BucketBuilder } from "../bucket-builder.ts"
import { BucketReader } from "../bucket-reader.ts"
import { cellOf, cellStart, firstOf } from "../cells.ts"
import { isTombstone } from "../entry-set.ts"
import { IndexDamaged, KEY_BYTES } from "../exposure-index.ts"
import {
  cellsOn,
  FIRST_LAYOUT,
  type Layout,
  other,
  type Part,
  partOf,
  partsOf,
  type Side,
} from "./bucket-layout.ts"
import { beginMove, moveOnIfReadable } from "./bucket-moves.ts"
import type {
  BareDatabase,
  CheckedDatabase,
  RangeOptions,
  ReadAt,
  StoredSet,
} from "./checked-database.ts"
import { type MappedFile, placed } from "./mapped-file.ts"
import { putLayout, readLayoutOf } from "./stored.ts"

/** A bucket of so many has its neighbours spread over more cells. */
const IDENTITIES_MANY = 96
/** So many are moved with each one that is added by itself, while a move is under way. */
const IDENTITIES_MOVED = 256
export const IDENTITY_DAMAGED = "An identity of the index does not have its checksum"
const MISSING = "A part of the index is missing"
const HEAD_DAMAGED = "A part of the index does not have its checksum"
/** The databases of the sides. */
const SIDES = ["shared", "shared-2"] as const
const COUNT = Buffer.from("identities")
const COUNT_BYTES = 6

type PutSync = (key: Uint8Array, value: Uint8Array, options?: { append: boolean }) => void
type GetFast = (key: Uint8Array, at?: ReadAt) => Uint8Array | undefined
const APPEND = { append: true }

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
    if (at?.pages !== undefined) return foundInPages(at.pages, side, key, cell, cells)
    const bytes = this.bucket(side, cell, cells, at)
    const search = findInBucket(bytes, bytes.length, key, cell, cells)
    if (search === DAMAGED) throw new IndexDamaged(IDENTITY_DAMAGED)
    return search === FOUND ? bytes.subarray(place.from, place.to) : undefined
  }

  /** Inside a write transaction. */
  copied(key: Uint8Array): Uint8Array | undefined {
    const found = this.found(key, undefined, this.layout)
    return found && Uint8Array.prototype.slice.call(found)
  }

  /** Inside a write transaction. Whatever stood there is replaced, damaged or not. */
  put(key: Uint8Array, value: Uint8Array): void {
    if (this.#change(key, value)) this.#grow()
  }

  /** Inside a write transaction. */
  remove(key: Uint8Array): void {
    this.#change(key, null)
  }

  /** How many buckets there are, of whatever cells. */
  get length(): number {
    return this.sides.reduce((sum, bare) => sum + entryCount(bare), 0)
  }

  /** A bucket with a whole head, good until the next read. */
  bucket(side: Side, cell: number, cells: number, at?: ReadAt): Uint8Array {
    const key = this.#key
    key.writeUInt32BE(cell)
    const bare = this.sides[side]
    const bytes = (bare as unknown as { getBinaryFast: GetFast }).getBinaryFast(key, at)
    if (bytes === undefined) throw new IndexDamaged(MISSING)
    if (!hasWholeHead(bytes, bytes.length, cell, cells)) {
      throw new IndexDamaged(HEAD_DAMAGED)
    }
    return bytes
  }

  /** Stands a reader at the first identity of a bucket, good until the next read. */
  read(reader: BucketReader, side: Side, cell: number, cells: number): void {
    const bytes = this.bucket(side, cell, cells)
    if (reader.read(bytes, bytes.length, cell, cells)) return
    throw new IndexDamaged("A part of the index is shorter than it says")
  }

  /**
   * How many buckets there are beyond those of the cells in use, or are missing. By the state that
   * lmdb's own transaction sees.
   */
  strays(at?: ReadAt): number {
    const layout = this.layoutAt(at)
    let strays = 0
    for (const side of [0, 1] as const) {
      strays += Math.abs(entryCount(this.sides[side]) - cellsOn(side, layout))
    }
    return strays
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

  /** The sets from `start` on, and where parts of the index are lost, where those lie. */
  *range({ start, limit = Infinity }: RangeOptions, at?: ReadAt): Generator<StoredSet> {
    const layout = this.layoutAt(at)
    let left = limit
    let from = start === undefined ? 0 : firstOf(start)
    for (const part of partsOf(layout)) {
      if (from >= part.end) continue
      for (let cell = cellOf(from, part.cells); left > 0 && cell < part.cells; cell++) {
        if (cellStart(cell, part.cells) >= part.end) break
        for (const set of this.#setsOf(part, cell, at)) {
          if (start !== undefined && Buffer.compare(set.key, start) < 0 && !set.lost) continue
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
    const lostPart = (isNoted: boolean): StoredSet => {
      const [start, stop] = [cellStart(cell, cells), cellStart(cell + 1, cells)]
      const lost = { from: Math.max(from, start), end: Math.min(end, stop), isNoted }
      const key = Buffer.alloc(KEY_BYTES)
      key.writeUInt32BE(lost.from)
      return { key, value: Buffer.alloc(0), intact: false, lost }
    }
    try {
      const lent = this.bucket(side, cell, cells, at)
      const bytes = Uint8Array.prototype.slice.call(lent, 0, lent.length)
      if (!reader.read(bytes, bytes.length, cell, cells)) throw new IndexDamaged(IDENTITY_DAMAGED)
    } catch (error) {
      if (!(error instanceof IndexDamaged)) throw error
      yield lostPart(false)
      return
    }
    if (reader.isLost) yield lostPart(true)
    while (reader.i < reader.count && reader.first < end) {
      if (reader.first >= from) {
        const value = reader.bytes.subarray(reader.setFrom, reader.setTo)
        yield { key: reader.key(), value, intact: reader.isIntact }
      }
      reader.next()
    }
  }

  /** Writes the bucket of a key with another set, or without it; true: there is one more. */
  #change(key: Uint8Array, value: Uint8Array | null): boolean {
    const first = firstOf(key)
    const { side, cells } = partOf(this.layout, first)
    const cell = cellOf(first, cells)
    const reader = this.#reader
    const builder = this.#builder
    builder.begin(cell, cells)
    if (this.#isReadable(reader, side, cell, cells, value)) {
      builder.isLost = reader.isLost
      builder.addBelow(reader, first)
      while (reader.i < reader.count && reader.order(first, key, 4) < 0) builder.addOne(reader)
    } else {
      builder.isLost = true
    }
    const had = reader.i < reader.count && reader.order(first, key, 4) === 0
    if (value !== null) builder.add(first, key, 4, value, 0, value.length)
    if (had) reader.next()
    builder.addBelow(reader, Infinity)
    if (value === null && !had) return false
    this.putBucket(side, cell, builder.spelled(cell, cells), false)
    const more = Number(value !== null) - Number(had)
    if (more !== 0) this.counted = this.count() + more
    return more > 0
  }

  /**
   * Stands the reader at the first identity of a bucket that is to be changed. Who has an identity
   * erased gets that even where its bucket cannot be read: then false, and nobody is in it.
   */
  #isReadable(
    reader: BucketReader,
    side: Side,
    cell: number,
    cells: number,
    value: Uint8Array | null,
  ): boolean {
    try {
      this.read(reader, side, cell, cells)
      return true
    } catch (error) {
      if (!(error instanceof IndexDamaged && isTombstone(value ?? undefined))) throw error
      reader.count = reader.i = 0
      return false
    }
  }

  /**
   * Spreads the identities over more cells, once they are far too many for those there are: some
   * with each that is added. What is damaged elsewhere does not keep one from being added.
   */
  #grow(): void {
    const { cells, next } = this.layout
    const identities = this.count()
    if (next === null) {
      if (identities <= cells * IDENTITIES_MANY) return
      beginMove(this, 2 * identities)
    }
    moveOnIfReadable(this, IDENTITIES_MOVED)
  }
}

function foundInPages(
  pages: MappedFile,
  side: Side,
  key: Uint8Array,
  cell: number,
  cells: number,
): Uint8Array | undefined {
  if (!pages.findNumber(pages.rootOf(SIDES[side]), cell)) throw new IndexDamaged(MISSING)
  const { bytes, from, length } = placed
  if (!hasWholeHead(bytes, length, cell, cells, from)) throw new IndexDamaged(HEAD_DAMAGED)
  const search = findInBucket(bytes, length, key, cell, cells, from)
  if (search === DAMAGED) throw new IndexDamaged(IDENTITY_DAMAGED)
  return search === FOUND ? bytes.subarray(place.from, place.to) : undefined
}

function entryCount(bare: BareDatabase): number {
  return (bare.getStats() as { entryCount: number }).entryCount
}
