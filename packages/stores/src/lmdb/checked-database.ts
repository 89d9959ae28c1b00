import type { Database } from "lmdb"
import { CHECKSUM_BYTES, checksumOf, hasChecksum, putChecksum } from "../checksum.ts"
import { IndexDamaged } from "../exposure-index.ts"
import { type DatabaseName, type MappedFile, placed } from "./mapped-file.ts"
import { GapCursor, type Neighbour as FoundNeighbour } from "./gap-cursor.ts"

/** A database as lmdb sees it: its values end with their checksums. */
export type BareDatabase = Database<Uint8Array, Uint8Array>

type Transaction = ReturnType<BareDatabase["useReadTransaction"]>
export interface ReadAt {
  readonly transaction: Transaction
  /** Another number with each state that the transaction begins to read. */
  readonly state: number
  /** Reads are made in these pages instead, as far as they can be. */
  readonly pages?: MappedFile
}

/** lmdb's own typings leave out that this method takes a transaction, as `get` does. */
type LendingDatabase = BareDatabase & {
  getBinaryFast(key: Uint8Array, at?: ReadAt): Uint8Array | undefined
}

type PutSync = (key: Uint8Array, value: Uint8Array, options?: { append: boolean }) => void
const APPEND = { append: true }

export interface StoredSet {
  readonly key: Uint8Array
  readonly value: Uint8Array
  /** False: key or value changed since it was written, and `value` may be anything. */
  readonly intact: boolean
  /**
   * No set, but a part of the index in which identities were lost: those whose keys begin, as a
   * number of four bytes, from one on and below another. `isNoted`: look-ups in it refuse whom they
   * do not find.
   */
  readonly lost?: { readonly from: number; readonly end: number; readonly isNoted: boolean }
}

export interface RangeOptions {
  readonly start?: Uint8Array
  readonly exclusiveStart?: boolean
  readonly end?: Uint8Array
  readonly reverse?: boolean
  readonly limit?: number
}

/** Longer values get a view of the buffer each time they are written. */
const VIEWS_MAX = 512

/**
 * A database in which each value ends with a checksum of its key and itself. No read returns a
 * value that fails it. Up to format 2 values had none: such a generation is read and written
 * without checksums, until it is copied into a newer one.
 */
export class CheckedDatabase {
  readonly bare: BareDatabase
  readonly checked: boolean
  readonly #name: DatabaseName
  readonly #next: Neighbour
  readonly #previous: Neighbour
  /** null where this process writes. */
  readonly #gaps: GapCursor | null
  #gapsOf: ReadAt | null = null
  #gapsIn = -1
  #written: Buffer = Buffer.allocUnsafeSlow(4_096)
  #views: Uint8Array[] = []

  constructor(bare: BareDatabase, checked: boolean, readOnly = false) {
    this.bare = bare
    this.checked = checked
    this.#name = (bare as unknown as { readonly name: DatabaseName }).name
    this.#gaps = readOnly ? new GapCursor(bare) : null
    this.#next = new Neighbour(bare, false)
    this.#previous = new Neighbour(bare, true)
  }

  /**
   * The stored bytes, good until the next read: their memory is used again. Only `length` bounds
   * them.
   */
  lent(key: Uint8Array, at?: ReadAt): Uint8Array | undefined {
    if (at?.pages !== undefined) return this.#lentByPages(key, at.pages)
    const stored = (this.bare as LendingDatabase).getBinaryFast(key, at)
    if (stored === undefined || !this.checked) return stored
    const length = stored.length - CHECKSUM_BYTES
    if (!isIntact(key, stored, length)) throw new IndexDamaged(VALUE_DAMAGED)
    return shortened(stored, length)
  }

  #lentByPages(key: Uint8Array, pages: MappedFile): Uint8Array | undefined {
    if (!pages.findKey(pages.rootOf(this.#name), key)) return undefined
    const { bytes, from } = placed
    const stored = bytes.subarray(from, from + placed.length)
    if (!this.checked) return stored
    const length = stored.length - CHECKSUM_BYTES
    if (!isIntact(key, stored, length)) throw new IndexDamaged(VALUE_DAMAGED)
    return stored.subarray(0, length)
  }

  copied(key: Uint8Array, at?: ReadAt): Uint8Array | undefined {
    const stored = this.lent(key, at)
    return stored && Uint8Array.prototype.slice.call(stored, 0, stored.length)
  }

  /**
   * As `lent`, for an answer about a person. If the key is absent, the keys on both sides of its
   * place must be intact and in order. A flipped bit inside a key, or inside a key of a branch
   * page, leaves a neighbour that is not, so that the identity it hides is not taken for unknown.
   */
  found(key: Uint8Array, at: ReadAt): Uint8Array | undefined {
    const stored = this.lent(key, at)
    if (stored === undefined && this.checked) {
      if (at.pages === undefined) this.#requireGap(key, at)
      else this.#requireGapInPages(key, at.pages)
    }
    return stored
  }

  /**
   * Inside a write transaction. `append` promises that the key is higher than every key in the
   * database.
   */
  put(key: Uint8Array, value: Uint8Array, append = false): void {
    this.#put(key, value, 0, append)
  }

  /** As `put`, for a value read with `intact: false`, which stays unreadable. */
  putDamaged(key: Uint8Array, value: Uint8Array, append = false): void {
    this.#put(key, value, 0xffff_ffff, append)
  }

  /** Inside a write transaction. */
  remove(key: Uint8Array): void {
    this.bare.removeSync(key)
  }

  *range(options: RangeOptions, at?: ReadAt): Generator<StoredSet> {
    // lmdb ends an iteration at an error. A caller that needs all keys compares their number with
    // `count`.
    for (const { key, value } of this.bare.getRange({ ...options, ...at })) {
      yield this.checked ? withoutChecksum(key, value) : { key, value, intact: true }
    }
  }

  keys(options: RangeOptions): Uint8Array[] {
    return [...this.bare.getKeys(options)]
  }

  /** How many keys there are, by the state that lmdb's own transaction of this turn sees. */
  count(): number {
    return (this.bare.getStats() as { entryCount: number }).entryCount
  }

  lastKey(): Uint8Array | undefined {
    return this.keys({ reverse: true, limit: 1 })[0]
  }

  #put(key: Uint8Array, value: Uint8Array, flipped: number, append: boolean): void {
    const bytes = this.checked ? this.#withChecksum(key, value, flipped) : value
    ;(this.bare.putSync as PutSync).call(this.bare, key, bytes, append ? APPEND : undefined)
  }

  #withChecksum(key: Uint8Array, value: Uint8Array, flipped: number): Uint8Array {
    const { length } = value
    if (this.#written.length < length + CHECKSUM_BYTES) {
      this.#written = Buffer.allocUnsafeSlow(2 * length)
      this.#views = []
    }
    const into = this.#written
    for (let i = 0; i < length; i++) into[i] = value[i] as number
    putChecksum((checksumOf(key, value) ^ flipped) >>> 0, into, length)
    const whole = length + CHECKSUM_BYTES
    if (whole > VIEWS_MAX) return into.subarray(0, whole)
    return (this.#views[whole] ??= into.subarray(0, whole))
  }

  #requireGapInPages(key: Uint8Array, pages: MappedFile): void {
    const root = pages.rootOf(this.#name)
    for (const side of ["previous", "next"] as const) {
      const found = pages.findBeside(root, key, side)
      if (found === null) continue
      const order = compare(found, key)
      if (side === "next" ? order <= 0 : order >= 0) outOfOrder()
      const { bytes, from, length } = placed
      const value = bytes.subarray(from, from + length)
      if (!isIntact(found, value, length - CHECKSUM_BYTES)) throw new IndexDamaged(VALUE_DAMAGED)
    }
  }

  /**
   * Uses lmdb's own transaction, which keeps its cursors; a cursor of another one costs more than
   * the whole look-up. Its state may be newer than the one that has no such key, and begins anew
   * with each that `at` begins.
   */
  #requireGap(key: Uint8Array, at: ReadAt): void {
    if (this.#gapsOf !== at || this.#gapsIn !== at.state) {
      this.bare.resetReadTxn()
      this.#gapsOf = at
      this.#gapsIn = at.state
    }
    if (this.#gaps?.liesBetween(key, (neighbour, side) => isBeside(key, neighbour, side))) return
    const next = this.#next.of(key)
    if (next?.intact === true && compare(next.key, key) === 0) {
      // Written since the state that does not have it: then it is found by its key too. One that a
      // walk finds and its key does not lies behind a changed key of a branch page.
      if (this.lent(key) === undefined) outOfOrder()
      return
    }
    if (next === undefined) {
      const last = this.lastKey()
      if (last !== undefined && compare(last, key) >= 0) outOfOrder()
    } else if (compare(next.key, key) <= 0) outOfOrder()
    const previous = this.#previous.of(key)
    if (previous === undefined) {
      const [first] = this.keys({ limit: 1 })
      if (first !== undefined && compare(first, key) <= 0) outOfOrder()
    } else if (compare(previous.key, key) >= 0) outOfOrder()
    if (next === undefined && previous === undefined && this.count() > 0) outOfOrder()
    if (next?.intact === false || previous?.intact === false) throw new IndexDamaged(VALUE_DAMAGED)
  }
}

/**
 * Finds the key on one side of another. The range is made once and started for each key, because
 * making a range costs most of the time.
 */
class Neighbour {
  readonly #options: { start: Uint8Array; limit: number; reverse: boolean }
  readonly #range: ReturnType<BareDatabase["getRange"]>

  constructor(bare: BareDatabase, reverse: boolean) {
    this.#options = { start: new Uint8Array(1), limit: 1, reverse }
    this.#range = bare.getRange(this.#options)
  }

  of(key: Uint8Array): Pick<StoredSet, "key" | "intact"> | undefined {
    this.#options.start = key
    for (const { key: found, value } of this.#range)
      return { key: found, intact: isIntact(found, value, value.length - CHECKSUM_BYTES) }
    return undefined
  }
}

const VALUE_DAMAGED = "A value of the index does not have its checksum"

/** In the order of bytes, as `Buffer.compare`, whose call costs more than comparing short keys. */
function compare(a: Uint8Array, b: Uint8Array): number {
  const common = Math.min(a.length, b.length)
  for (let n = 0; n < common; n++) {
    const difference = (a[n] as number) - (b[n] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Whether a neighbour is intact and on its side of a key. */
function isBeside(key: Uint8Array, found: FoundNeighbour, side: "next" | "previous"): boolean {
  const order = compare(found.key, key)
  if (side === "next" ? order <= 0 : order >= 0) return false
  return isIntact(found.key, found.value, found.valueLength - CHECKSUM_BYTES)
}

function outOfOrder(): never {
  throw new IndexDamaged("Keys of the index are out of order")
}

function withoutChecksum(key: Uint8Array, stored: Uint8Array): StoredSet {
  const length = stored.length - CHECKSUM_BYTES
  const intact = isIntact(key, stored, length)
  return { key, value: length < 0 ? stored : stored.subarray(0, length), intact }
}

function isIntact(key: Uint8Array, stored: Uint8Array, length: number): boolean {
  return length >= 0 && hasChecksum(stored, length, checksumOf(key, stored, length))
}

/**
 * lmdb lends the same long buffer for short values and gives the length of the value separately.
 */
function shortened(stored: Uint8Array, length: number): Uint8Array {
  if (!Object.hasOwn(stored, "length")) return stored.subarray(0, length)
  ;(stored as { length: number }).length = length
  return stored
}
