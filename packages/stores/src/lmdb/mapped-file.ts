import { fstatSync, readSync } from "node:fs"
import * as lmdb from "lmdb"
import { IndexDamaged } from "../exposure-index.ts"

/** What lmdb's addon exports beside its typings. */
interface Addon {
  /** Bytes of this process, from an address on. */
  createBufferForAddress(address: number, length: number): Uint8Array
  getBufferAddress(bytes: Uint8Array): number
  /** The value in the map; its key stands in lmdb's buffer of keys since the last read by it. */
  getSharedByBinary(database: number, keyLength: number): Uint8Array | undefined
}

const addon = (lmdb as unknown as { readonly nativeAddon: Addon }).nativeAddon

type BareDatabase = lmdb.Database<Uint8Array, Uint8Array>
type LendingDatabase = BareDatabase & {
  readonly dbAddress: number
  getBinaryFast(key: Uint8Array): Uint8Array | undefined
}

/**
 * How LMDB lays out its file, as of its data version 2. A page begins with its number (8 bytes),
 * the transaction that wrote it (8) and its flags; behind this header stand the places of its
 * nodes, counted from its end, two bytes each. All numbers are little-endian.
 */
const HEADER_BYTES = 24
const FLAGS_AT = 18
const PLACES_END_AT = 20
const BRANCH = 1
const LEAF = 2
/**
 * A node: length of the value or number of the page below (4 bytes), flags or more of that number
 * (2), length of the key (2), key, value.
 */
const NODE_BYTES = 8
/** The value of a node stands on pages of its own: it has their number. */
const LONG_VALUE = 1
/** In what describes a database: where its tree begins. */
const ROOT_AT = 40
const DESCRIPTION_BYTES = 48
/** Of a database with no keys: all bits are set, which is this number in a double. */
const NO_ROOT = 2 ** 64
/**
 * The first two pages describe the file, each after its header. The one with the newer number
 * counts.
 */
const META = {
  magicAt: 24,
  versionAt: 28,
  pageBytesAt: 48,
  mainAt: 96,
  lastPageAt: 144,
  transactionAt: 152,
}
const MAGIC = 0xbeef_c0de
const DATA_VERSION = 2
/** Trees are far lower: a page leads to more than a hundred others. */
const LEVELS_MAX = 16

/** A part of the file in memory. */
interface Chunk {
  readonly bytes: Uint8Array
  readonly data: DataView
}

const CHUNK_BYTES = 2 ** 30
/**
 * Each chunk also has what follows it, so that a value is seen whole in the chunk in which it
 * begins.
 */
const OVERLAP_BYTES = 2 ** 25
const SHOWN_LEAST = 2 ** 24

/** Where a search ended. One place for all: a look-up makes no object. */
export const placed = {
  bytes: Buffer.alloc(0) as Uint8Array,
  from: 0,
  length: 0,
}

/** The names of the databases that look-ups read. */
const NAMES = ["shared", "shared-2", "tenants", "meta"] as const
export type DatabaseName = (typeof NAMES)[number]
/** As they stand in the tree of databases. */
const NAME_BYTES = NAMES.map((name) => Buffer.from(`${name}\0`))

const NONE = -1

/**
 * LMDB's file as lmdb has it in memory, read without a call of lmdb: calls cost more than the
 * search. Nothing here is trusted: each page number and each place is compared with how far the
 * file and the page reach, and whoever reads a value checks its checksum.
 *
 * Pages that a transaction freed are used again once nobody reads an older state. So a state may be
 * read here while lmdb has a read transaction that is not newer than it.
 */
export class MappedFile {
  readonly #descriptor: number
  readonly #address: number
  readonly #pageBytes: number
  /** A page's number, shifted by this, is the number of its chunk. */
  readonly #shift: number
  readonly #mask: number
  readonly #mapBytes: number
  readonly #chunks: Chunk[] = []
  readonly #metas: DataView
  #fileBytes = 0
  /** The transaction of the state being read, and the newest that was read so far. */
  #state = NONE
  #newest = NONE
  /** How many pages the state has. */
  #pages = 0
  /** The leaf in which the last search by a key ended, and the node that it ended before. */
  #missedIn = 0
  #missedAt = 0
  readonly #roots = new Float64Array(NAMES.length)

  /**
   * null: the map cannot be found, or is not as expected. `key` names a short value in `database`,
   * and `descriptor` is of the file itself: at its path there may be another one by now.
   */
  static of(
    database: BareDatabase,
    key: Uint8Array,
    descriptor: number,
    mapBytes: number,
  ): MappedFile | null {
    const lending = database as LendingDatabase
    if (lending.getBinaryFast(key) === undefined) return null
    const value = addon.getSharedByBinary(lending.dbAddress, key.length)
    if (value === undefined) return null
    const meta = Buffer.alloc(2 ** 8)
    if (readSync(descriptor, meta, 0, meta.length, 0) < meta.length) return null
    const pageBytes = meta.readUInt32LE(META.pageBytesAt)
    if (!isPageSize(pageBytes)) return null
    const at = addon.getBufferAddress(value)
    const page = addon.createBufferForAddress(at - (at % pageBytes), pageBytes)
    const number = Buffer.from(page.subarray(0, 8)).readUIntLE(0, 6)
    // A page that a reader sees is not written again: in file and map it is the same.
    const same = Buffer.alloc(pageBytes)
    if (readSync(descriptor, same, 0, pageBytes, number * pageBytes) < pageBytes) return null
    if (Buffer.compare(page, same) !== 0) return null
    const address = at - (at % pageBytes) - number * pageBytes
    return new MappedFile(descriptor, address, pageBytes, mapBytes)
  }

  private constructor(descriptor: number, address: number, pageBytes: number, mapBytes: number) {
    this.#descriptor = descriptor
    this.#address = address
    this.#pageBytes = pageBytes
    this.#shift = Math.log2(CHUNK_BYTES / pageBytes)
    this.#mask = CHUNK_BYTES / pageBytes - 1
    this.#mapBytes = mapBytes
    this.#metas = dataOf(addon.createBufferForAddress(address, 2 * pageBytes))
  }

  /** The transaction of the newest state; one that is being committed may be in it already. */
  newest(): number {
    const [one, two] = [this.#transactionOf(0), this.#transactionOf(1)]
    return one > two ? one : two
  }

  #transactionOf(meta: 0 | 1): number {
    const at = meta * this.#pageBytes + META.transactionAt
    return this.#metas.getUint32(at, true) + this.#metas.getUint32(at + 4, true) * 2 ** 32
  }

  /**
   * Goes to the newest state; lmdb's read transaction was begun before. False: this file is not to
   * be read so.
   */
  begin(): boolean {
    this.#state = NONE
    for (;;) {
      const one = this.#transactionOf(0)
      const meta = one > this.#transactionOf(1) ? 0 : 1
      const state = this.#transactionOf(meta)
      const at = meta * this.#pageBytes
      if (!this.#isMeta(at)) return false
      const main = numberAt(this.#metas, at + META.mainAt + ROOT_AT)
      const lastPage = numberAt(this.#metas, at + META.lastPageAt)
      // A state never gives way to an older one, unless its commit failed: lmdb knows that.
      if (state < this.#newest || !this.#show(lastPage + 1)) return false
      this.#findRoots(main)
      // Read while it was being written, it is another one now.
      if (this.newest() !== state) continue
      if (numberAt(this.#metas, at + META.mainAt + ROOT_AT) !== main) continue
      if (numberAt(this.#metas, at + META.lastPageAt) !== lastPage) continue
      this.#state = this.#newest = state
      return true
    }
  }

  #isMeta(at: number): boolean {
    const metas = this.#metas
    return (
      metas.getUint32(at + META.magicAt, true) === MAGIC &&
      metas.getUint32(at + META.versionAt, true) === DATA_VERSION &&
      metas.getUint32(at + META.pageBytesAt, true) === this.#pageBytes
    )
  }

  get state(): number {
    return this.#state
  }

  /** Where the tree of a database begins in the state being read; negative: it has none. */
  rootOf(name: DatabaseName): number {
    return this.#roots[NAMES.indexOf(name)] as number
  }

  /**
   * Finds a key of four bytes, given as their number, in a tree that has only such keys: about
   * evenly spread, and in a leaf mostly one after the other. True: `placed` says where its value
   * is.
   */
  findNumber(root: number, number: number): boolean {
    if (root === NONE) return false
    let page = root
    // The page has no number below `low`, and none from `high` on, where the pages above say so.
    let [low, high] = [NONE, NONE]
    for (let level = 0; level < LEVELS_MAX; level++) {
      const chunk = this.#chunkOf(page)
      const { data } = chunk
      const at = this.#atIn(page)
      const count = this.#countOf(data, at)
      if (this.#isLeaf(data, at)) return this.#placeNumber(chunk, at, count, number, low)
      if (count === 0) damaged()
      // The first node is for all below the second; its key says nothing.
      if (low === NONE && count > 1) low = this.#numberOf(data, at, 1)
      if (high === NONE && count > 1) high = this.#numberOf(data, at, count - 1)
      const share = high > low ? (number - low) / (high - low) : 0
      let i = Math.max(0, Math.min(count - 1, Math.floor(share * count)))
      while (i > 0 && this.#numberOf(data, at, i) > number) i--
      while (i + 1 < count && this.#numberOf(data, at, i + 1) <= number) i++
      low = i > 0 ? this.#numberOf(data, at, i) : NONE
      high = i + 1 < count ? this.#numberOf(data, at, i + 1) : NONE
      page = this.#childAt(data, this.#nodeAt(data, at, i))
    }
    return damaged()
  }

  /** `above`: what the pages above say of the lowest number of the leaf. */
  #placeNumber(chunk: Chunk, at: number, count: number, number: number, above: number): boolean {
    const { data } = chunk
    const low = above === NONE && count > 0 ? this.#numberOf(data, at, 0) : above
    const expected = number - low
    if (expected >= 0 && expected < count && this.#numberOf(data, at, expected) === number) {
      return this.#place(chunk, at, expected, 4)
    }
    for (let i = 0; i < count; i++) {
      if (this.#numberOf(data, at, i) === number) return this.#place(chunk, at, i, 4)
    }
    return false
  }

  /** Finds a key. True: `placed` says where its value is. */
  findKey(root: number, key: Uint8Array): boolean {
    if (root === NONE) return false
    let page = root
    for (let level = 0; level < LEVELS_MAX; level++) {
      const chunk = this.#chunkOf(page)
      const { data } = chunk
      const at = this.#atIn(page)
      const isLeaf = this.#isLeaf(data, at)
      const i = this.#firstAbove(chunk, at, key, isLeaf)
      if (isLeaf) {
        this.#missedIn = page
        this.#missedAt = i
        if (i === this.#countOf(data, at)) return false
        const isSame = this.#order(chunk, at, this.#nodeAt(data, at, i), key) === 0
        return isSame && this.#place(chunk, at, i, key.length)
      }
      page = this.#childAt(data, this.#nodeAt(data, at, i - 1))
    }
    return damaged()
  }

  /**
   * The key on one side of the key that `findKey` just did not find, and in `placed` its value;
   * null: there is none.
   */
  findBeside(root: number, key: Uint8Array, side: "previous" | "next"): Uint8Array | null {
    if (root === NONE) return null
    // Mostly in the leaf in which the search ended.
    const leaf = this.#chunkOf(this.#missedIn)
    const leafAt = this.#atIn(this.#missedIn)
    const count = this.#countOf(leaf.data, leafAt)
    if (count === 0) damaged()
    const beside = side === "next" ? this.#missedAt : this.#missedAt - 1
    if (beside >= 0 && beside < count) return this.#keyAt(leaf, leafAt, beside)
    // Else in the one below the nearest node on that side of the way down.
    const step = side === "next" ? 1 : -1
    let [turnPage, turnNode] = [NONE, 0]
    let page = root
    for (let level = 0; level < LEVELS_MAX; level++) {
      const chunk = this.#chunkOf(page)
      const { data } = chunk
      const at = this.#atIn(page)
      if (this.#isLeaf(data, at)) break
      const below = this.#firstAbove(chunk, at, key, false) - 1
      const on = below + step
      if (on >= 0 && on < this.#countOf(data, at)) {
        turnPage = page
        turnNode = on
      }
      page = this.#childAt(data, this.#nodeAt(data, at, below))
    }
    if (turnPage === NONE) return null
    const turn = this.#chunkOf(turnPage)
    page = this.#childAt(turn.data, this.#nodeAt(turn.data, this.#atIn(turnPage), turnNode))
    for (let level = 0; level < LEVELS_MAX; level++) {
      const chunk = this.#chunkOf(page)
      const at = this.#atIn(page)
      const edge = side === "next" ? 0 : this.#countOf(chunk.data, at) - 1
      if (edge < 0) damaged()
      if (this.#isLeaf(chunk.data, at)) return this.#keyAt(chunk, at, edge)
      page = this.#childAt(chunk.data, this.#nodeAt(chunk.data, at, edge))
    }
    return damaged()
  }

  #isLeaf(data: DataView, at: number): boolean {
    const flags = data.getUint16(at + FLAGS_AT, true)
    if (flags !== LEAF && flags !== BRANCH) damaged()
    return flags === LEAF
  }

  /**
   * The first node of a page whose key is above another or the same. The first node of a branch is
   * for all keys below the second, so its own says nothing and it is passed over.
   */
  #firstAbove(chunk: Chunk, at: number, key: Uint8Array, isLeaf: boolean): number {
    const { data } = chunk
    let [low, high] = [isLeaf ? 0 : 1, this.#countOf(data, at)]
    // A tree without keys has no page.
    if (high === 0) damaged()
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = this.#order(chunk, at, this.#nodeAt(data, at, middle), key)
      if (order < 0 || (order === 0 && !isLeaf)) low = middle + 1
      else high = middle
    }
    return low
  }

  #keyAt(chunk: Chunk, at: number, i: number): Uint8Array {
    const node = this.#nodeAt(chunk.data, at, i)
    const length = chunk.data.getUint16(node + 6, true)
    const from = node + NODE_BYTES
    if (from + length > at + this.#pageBytes) damaged()
    this.#place(chunk, at, i, length)
    return chunk.bytes.subarray(from, from + length)
  }

  #chunkOf(page: number): Chunk {
    // Also where it is no number at all.
    if (!(page >= 0 && page < this.#pages)) damaged()
    return this.#chunks[page >>> this.#shift] as Chunk
  }

  #atIn(page: number): number {
    return (page & this.#mask) * this.#pageBytes
  }

  #countOf(data: DataView, at: number): number {
    const bytes = data.getUint16(at + PLACES_END_AT, true)
    if (bytes > this.#pageBytes - HEADER_BYTES) damaged()
    return bytes >>> 1
  }

  #nodeAt(data: DataView, at: number, i: number): number {
    const place = data.getUint16(at + HEADER_BYTES + 2 * i, true)
    if (place > this.#pageBytes - HEADER_BYTES - NODE_BYTES) damaged()
    return at + HEADER_BYTES + place
  }

  #numberOf(data: DataView, at: number, i: number): number {
    const place = data.getUint16(at + HEADER_BYTES + 2 * i, true)
    if (place > this.#pageBytes - HEADER_BYTES - NODE_BYTES - 4) damaged()
    return data.getUint32(at + HEADER_BYTES + place + NODE_BYTES)
  }

  #childAt(data: DataView, node: number): number {
    return data.getUint32(node, true) + data.getUint16(node + 4, true) * 2 ** 32
  }

  /** How the key of a node compares with another. */
  #order({ bytes, data }: Chunk, at: number, node: number, key: Uint8Array): number {
    const from = node + NODE_BYTES
    const length = data.getUint16(node + 6, true)
    if (from + length > at + this.#pageBytes) damaged()
    const common = Math.min(length, key.length)
    for (let n = 0; n < common; n++) {
      const difference = (bytes[from + n] as number) - (key[n] as number)
      if (difference !== 0) return difference
    }
    return length - key.length
  }

  #place(chunk: Chunk, at: number, i: number, keyLength: number): true {
    const { data, bytes } = chunk
    const node = this.#nodeAt(data, at, i)
    const length = data.getUint32(node, true)
    const from = node + NODE_BYTES + keyLength
    const end = at + this.#pageBytes
    if (data.getUint16(node + 6, true) !== keyLength) damaged()
    placed.length = length
    if ((data.getUint16(node + 4, true) & LONG_VALUE) === 0) {
      if (from + length > end) damaged()
      placed.bytes = bytes
      placed.from = from
      return true
    }
    if (from + 8 > end) damaged()
    const page = numberAt(data, from)
    const pages = Math.ceil((HEADER_BYTES + length) / this.#pageBytes)
    if (page + pages > this.#pages) damaged()
    const first = this.#atIn(page) + HEADER_BYTES
    placed.bytes = this.#chunkOf(page).bytes
    placed.from = first
    // Longer than what a chunk has of the next one.
    if (first + length > placed.bytes.length) {
      const address = this.#address + page * this.#pageBytes + HEADER_BYTES
      placed.bytes = addon.createBufferForAddress(address, length)
      placed.from = 0
    }
    return true
  }

  /** Makes the pages of the state visible. */
  #show(pages: number): boolean {
    const pageBytes = this.#pageBytes
    if (pages * pageBytes > this.#fileBytes) {
      const bytes = fstatSync(this.#descriptor).size
      // Where the map ends, lmdb moves all of it to another address.
      if (bytes > this.#mapBytes / 2) return false
      this.#fileBytes = bytes
      for (let n = 0; n * CHUNK_BYTES < bytes; n++) this.#showChunk(n, bytes - n * CHUNK_BYTES)
    }
    // The last pages may be free and were never written.
    this.#pages = Math.min(pages, Math.floor(this.#fileBytes / pageBytes))
    return true
  }

  #showChunk(n: number, left: number): void {
    const most = CHUNK_BYTES + OVERLAP_BYTES
    const needed = Math.min(left, most)
    if ((this.#chunks[n]?.bytes.length ?? 0) >= needed) return
    // Not made anew with each growth of the file, and not far longer than it: all of it counts as
    // memory of the program.
    const length = Math.min(most, Math.max(SHOWN_LEAST, 2 ** Math.ceil(Math.log2(needed))))
    const lent = addon.createBufferForAddress(this.#address + n * CHUNK_BYTES, length)
    const bytes = new Uint8Array(lent.buffer, lent.byteOffset, length)
    this.#chunks[n] = { bytes, data: dataOf(bytes) }
  }

  #findRoots(main: number): void {
    for (const [n, name] of NAMES.entries()) {
      this.#roots[n] = NONE
      if (!this.findKey(main, NAME_BYTES[n] as Uint8Array)) {
        // Older indexes lack this one.
        if (name !== "shared-2") damaged()
        continue
      }
      const { bytes, from, length } = placed
      if (length < DESCRIPTION_BYTES) damaged()
      const data = dataOf(bytes)
      const root = numberAt(data, from + ROOT_AT)
      const isEmpty = root === NO_ROOT
      if (!isEmpty && root >= this.#pages) damaged()
      this.#roots[n] = isEmpty ? NONE : root
    }
  }
}

function numberAt(data: DataView, at: number): number {
  return data.getUint32(at, true) + data.getUint32(at + 4, true) * 2 ** 32
}

function dataOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && Number.isInteger(Math.log2(bytes))
}

function damaged(): never {
  throw new IndexDamaged("A page of the index is damaged")
}
