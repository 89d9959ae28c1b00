import { CHECKSUM_BYTES, hasChecksum, putChecksum } from "./checksum.ts"
import { cellStart, firstOf } from "./cells.ts"
import { KEY_BYTES } from "./exposure-index.ts"

/**
 * The identities of one cell in one value, ascending by key. All of one kind stand together, so
 * that a search reads few bytes.
 *
 *   2 bytes     number of identities, big-endian
 *   distances   for each, how far the first four bytes of its key are above the cell's lowest
 *   lengths     for each, one byte: the length of its set; 255: it stands before the set, 3 bytes
 *   rests       for each, the other twelve bytes of its key
 *   sets        for each, its entry set or tombstone
 *   checksum    four bytes of all the above, which also cover cell and number of cells
 *
 * A distance takes as many bytes as the widest cell needs.
 */

const COUNT_BYTES = 2
export const REST_BYTES = KEY_BYTES - 4
export const LONG = 255
const LONG_BYTES = 3
export const SET_BYTES_MAX = 2 ** 24 - 1
/** No bucket has more: its number would not fit. */
export const IDENTITIES_MAX = 0xffff
const EMPTY_BYTES = COUNT_BYTES + CHECKSUM_BYTES

/** How many bytes a distance takes. */
export function distanceBytes(cells: number): number {
  const width = Math.ceil(2 ** 32 / cells)
  return width <= 2 ** 8 ? 1 : width <= 2 ** 16 ? 2 : width <= 2 ** 24 ? 3 : 4
}

/** What a checksum begins with, so that a bucket in the place of another one fails. */
function seedOf(cell: number, cells: number): number {
  return (Math.imul(cell, 0x9e37_79b1) ^ cells) >>> 0
}

/**
 * A checksum of the first `length` bytes, four at a time: each step is one-to-one in what came
 * before and in the word it takes, so that no change within one word goes unnoticed, and others do
 * once in 2³². A call into zlib costs more than this loop takes for a bucket of usual size.
 */
function checksumOfWords(bytes: Uint8Array, length: number, seed: number): number {
  const words = wordsOf(bytes)
  const whole = length >>> 2
  let [a, b] = [seed, length]
  let i = 0
  for (; i + 1 < whole; i += 2) {
    a = Math.imul(a ^ (words[i] as number), 0x9e37_79b1)
    a ^= a >>> 15
    b = Math.imul(b ^ (words[i + 1] as number), 0x85eb_ca6b)
    b ^= b >>> 13
  }
  for (let at = i << 2; at < length; at++) {
    a = Math.imul(a ^ (bytes[at] as number), 0x9e37_79b1)
    a ^= a >>> 15
  }
  a = Math.imul(a ^ (b >>> 16) ^ (b << 16), 0x9e37_79b1)
  return (a ^ (a >>> 15)) >>> 0
}

/** The words of the buffers that are read over and over: that of lmdb, and those of builders. */
let lastBuffer: ArrayBufferLike | null = null
let lastWords: Int32Array = new Int32Array(0)

function wordsOf(bytes: Uint8Array): Int32Array {
  const { buffer, byteOffset } = bytes
  if (byteOffset !== 0) {
    // lmdb's own map of the file, for a long value.
    return wordsOf(Uint8Array.prototype.slice.call(bytes))
  }
  if (buffer !== lastBuffer) {
    lastBuffer = buffer
    lastWords = new Int32Array(buffer, 0, buffer.byteLength >>> 2)
  }
  return lastWords
}

/** Whether the first `length` bytes are what was written for this cell. */
export function isIntactBucket(
  bytes: Uint8Array,
  length: number,
  cell: number,
  cells: number,
): boolean {
  if (length < EMPTY_BYTES) return false
  const end = length - CHECKSUM_BYTES
  return hasChecksum(bytes, end, checksumOfWords(bytes, end, seedOf(cell, cells)))
}

/** Ends a bucket whose contents stand up to `end`, and returns its length. */
export function sealBucket(bytes: Uint8Array, end: number, cell: number, cells: number): number {
  putChecksum(checksumOfWords(bytes, end, seedOf(cell, cells)), bytes, end)
  return end + CHECKSUM_BYTES
}

/** Where a set was found. One place for all: a look-up makes no object. */
export const place = { from: 0, to: 0 }

/** Looks a key up in an intact bucket; where it is there, `place` says where its set stands. */
export function findInBucket(
  bytes: Uint8Array,
  key: Uint8Array,
  cell: number,
  cells: number,
): boolean {
  const count = bucketCount(bytes)
  const wide = distanceBytes(cells)
  const distance = firstOf(key) - cellStart(cell, cells)
  // Keys are spread evenly, so the place of the key in the cell says nearly where it stands.
  let i = Math.min(count - 1, Math.floor((distance * count * cells) / 2 ** 32))
  while (i > 0 && distanceAt(bytes, i - 1, wide) >= distance) i--
  while (i < count && distanceAt(bytes, i, wide) < distance) i++
  const rests = COUNT_BYTES + count * (wide + 1)
  for (; i < count && distanceAt(bytes, i, wide) === distance; i++) {
    if (!isSame(bytes, rests + i * REST_BYTES, key)) continue
    const lengths = COUNT_BYTES + count * wide
    let at = rests + count * REST_BYTES
    for (let n = 0; n < i; n++) {
      const length = bytes[lengths + n] as number
      at += length === LONG ? LONG_BYTES + longAt(bytes, at) : length
    }
    const length = bytes[lengths + i] as number
    place.from = length === LONG ? at + LONG_BYTES : at
    place.to = place.from + (length === LONG ? longAt(bytes, at) : length)
    return true
  }
  return false
}

export function bucketCount(bytes: Uint8Array): number {
  return ((bytes[0] as number) << 8) | (bytes[1] as number)
}

function distanceAt(bytes: Uint8Array, i: number, wide: number): number {
  const at = COUNT_BYTES + i * wide
  if (wide === 2) return ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
  let distance = 0
  for (let n = 0; n < wide; n++) distance = distance * 256 + (bytes[at + n] as number)
  return distance
}

function longAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
  )
}

function isSame(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let n = 0; n < REST_BYTES; n++) if (bytes[at + n] !== key[n + 4]) return false
  return true
}

/** Walks through the identities of an intact bucket. */
export class BucketReader {
  bytes: Uint8Array = Buffer.alloc(0)
  count = 0
  /** Which identity it stands at; `count`: past the last. */
  i = 0
  /** Of the identity it stands at: the first four bytes of its key, and where the rest stands. */
  first = 0
  restAt = 0
  setFrom = 0
  setTo = 0
  #start = 0
  #wide = 0
  #lengths = 0

  /** Begins at the first identity of a bucket, whose bytes may not change meanwhile. */
  read(bytes: Uint8Array, cell: number, cells: number): void {
    this.bytes = bytes
    this.count = bucketCount(bytes)
    this.i = 0
    this.#start = cellStart(cell, cells)
    this.#wide = distanceBytes(cells)
    this.#lengths = COUNT_BYTES + this.count * this.#wide
    this.restAt = this.#lengths + this.count
    this.setTo = this.restAt + this.count * REST_BYTES
    if (this.count > 0) this.#settle()
  }

  next(): void {
    if (++this.i >= this.count) return
    this.restAt += REST_BYTES
    this.#settle()
  }

  /** The bytes of its set, with its length where that stands before it. */
  get setLength(): number {
    const length = this.bytes[this.#lengths + this.i] as number
    return length === LONG ? LONG_BYTES + this.setTo - this.setFrom : length
  }

  /** Where the lengths of all sets stand. */
  get lengthsAt(): number {
    return this.#lengths
  }

  key(): Buffer {
    const key = Buffer.allocUnsafe(KEY_BYTES)
    key.writeUInt32BE(this.first)
    for (let n = 0; n < REST_BYTES; n++) key[4 + n] = this.bytes[this.restAt + n] as number
    return key
  }

  #settle(): void {
    this.first = this.#start + distanceAt(this.bytes, this.i, this.#wide)
    const length = this.bytes[this.#lengths + this.i] as number
    if (length === LONG) {
      this.setFrom = this.setTo + LONG_BYTES
      this.setTo = this.setFrom + longAt(this.bytes, this.setFrom - LONG_BYTES)
    } else {
      this.setFrom = this.setTo
      this.setTo += length
    }
  }
}

/** Collects the identities of one cell, which come in order, and spells their bucket. */
export class BucketBuilder {
  count = 0
  #start = 0
  #wide = 0
  #distances: Buffer = Buffer.allocUnsafeSlow(256)
  #lengths: Buffer = Buffer.allocUnsafeSlow(64)
  #rests: Buffer = Buffer.allocUnsafeSlow(64 * REST_BYTES)
  #sets: Buffer = Buffer.allocUnsafeSlow(4_096)
  #setsEnd = 0
  #spelled: Buffer = Buffer.allocUnsafeSlow(8_192)

  begin(cell: number, cells: number): void {
    this.count = 0
    this.#setsEnd = 0
    this.#start = cellStart(cell, cells)
    this.#wide = distanceBytes(cells)
  }

  /** `restAt`: where the last twelve bytes of the key stand in `rests`. */
  add(
    first: number,
    rests: Uint8Array,
    restAt: number,
    sets: Uint8Array,
    from: number,
    to: number,
  ): void {
    const { count } = this
    const length = to - from
    if (count === this.#lengths.length) this.#grow()
    if (this.#setsEnd + length + LONG_BYTES > this.#sets.length) {
      this.#sets = grown(this.#sets, this.#setsEnd + length + LONG_BYTES)
    }
    const wide = this.#wide
    let left = first - this.#start
    for (let at = (count + 1) * wide - 1, n = 0; n < wide; n++, at--) {
      this.#distances[at] = left
      left = Math.floor(left / 256)
    }
    const into = this.#rests
    for (let n = 0, at = count * REST_BYTES; n < REST_BYTES; n++) {
      into[at + n] = rests[restAt + n] as number
    }
    let at = this.#setsEnd
    const all = this.#sets
    if (length < LONG) {
      this.#lengths[count] = length
    } else {
      if (length > SET_BYTES_MAX) throw new RangeError("a set is too long")
      this.#lengths[count] = LONG
      all[at++] = length >>> 16
      all[at++] = length >>> 8
      all[at++] = length
    }
    for (let n = from; n < to; n++) all[at++] = sets[n] as number
    this.#setsEnd = at
    this.count = count + 1
  }

  /**
   * Adds those that the reader stands at and those after it, up to the first whose key begins with
   * `below` or more, and moves it there.
   */
  addBelow(reader: BucketReader, below: number): void {
    const { bytes, i: from, restAt } = reader
    const start = reader.setTo - reader.setLength
    const firsts = this.#wide
    let { count } = this
    // The distances and lengths one by one, the rests and sets all at once.
    const lengths = reader.lengthsAt
    while (count + reader.count - from > this.#lengths.length) this.#grow(count + reader.count)
    let stop = start
    while (reader.i < reader.count && reader.first < below) {
      let left = reader.first - this.#start
      for (let at = (count + 1) * firsts - 1, n = 0; n < firsts; n++, at--) {
        this.#distances[at] = left
        left = Math.floor(left / 256)
      }
      this.#lengths[count] = bytes[lengths + reader.i] as number
      count++
      stop = reader.setTo
      reader.next()
    }
    const added = count - this.count
    if (added === 0) return
    const size = stop - start
    if (this.#setsEnd + size > this.#sets.length) {
      this.#sets = grown(this.#sets, this.#setsEnd + size)
    }
    copy(bytes, restAt, added * REST_BYTES, this.#rests, this.count * REST_BYTES)
    copy(bytes, start, size, this.#sets, this.#setsEnd)
    this.#setsEnd += size
    this.count = count
  }

  /** The bucket's bytes are good until the next one is spelled. */
  spelled(cell: number, cells: number): Uint8Array {
    const { count } = this
    if (count > IDENTITIES_MAX) throw new RangeError("a bucket has too many identities")
    const distances = count * this.#wide
    const rests = COUNT_BYTES + distances + count
    const end = rests + count * REST_BYTES + this.#setsEnd
    if (this.#spelled.length < end + CHECKSUM_BYTES) {
      this.#spelled = Buffer.allocUnsafeSlow(2 * end + CHECKSUM_BYTES)
    }
    const into = this.#spelled
    into[0] = count >>> 8
    into[1] = count
    this.#distances.copy(into, COUNT_BYTES, 0, distances)
    this.#lengths.copy(into, COUNT_BYTES + distances, 0, count)
    this.#rests.copy(into, rests, 0, count * REST_BYTES)
    this.#sets.copy(into, rests + count * REST_BYTES, 0, this.#setsEnd)
    return into.subarray(0, sealBucket(into, end, cell, cells))
  }

  #grow(least = this.count): void {
    const room = 2 * least
    this.#lengths = grown(this.#lengths, room)
    this.#rests = grown(this.#rests, room * REST_BYTES)
    this.#distances = grown(this.#distances, room * 4)
  }
}

/** A call costs as much as some tens of bytes in a loop. */
const LOOP_BYTES_MAX = 48

function copy(from: Uint8Array, start: number, size: number, into: Buffer, at: number): void {
  if (size <= LOOP_BYTES_MAX) {
    for (let n = 0; n < size; n++) into[at + n] = from[start + n] as number
  } else {
    Buffer.prototype.copy.call(from, into, at, start, start + size)
  }
}

function grown(bytes: Buffer, least: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(least, 2 * bytes.length))
  bytes.copy(larger)
  return larger
}
