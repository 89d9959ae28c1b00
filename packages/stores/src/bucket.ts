import { CHECKSUM_BYTES, hasChecksum, putChecksum } from "./checksum.ts"
import { cellStart, firstOf } from "./cells.ts"
import { KEY_BYTES } from "./exposure-index.ts"

/**
 * The identities of one cell in one value, ascending by key. All of one kind stand together, so
 * that a search reads few bytes.
 *
 *   1 byte      flags: LOST, LONG
 *   2 bytes     number of identities, big-endian
 *   distances   for each, how far the first four bytes of its key are above the cell's lowest
 *   lengths     for each, one byte: the length of its set; 255: it stands among the long ones
 *   long ones   for each such, its length in 3 bytes; only with the flag LONG
 *   checksum    four bytes of all the above, which also cover cell and number of cells
 *   items       for each, the other twelve bytes of its key and two bytes of its own checksum
 *   sets        for each, its entry set or tombstone
 *
 * What stands up to the checksum is the head. It says where everything stands and which first four
 * bytes there are, so that a whole head tells who is unknown. An identity has a checksum of its key
 * and set, which does not depend on the bucket: what is damaged is refused alone, and stays damaged
 * wherever it is copied to. With the flag LOST others of the cell were in a bucket that could not
 * be read: who is not found in it may be one of them.
 *
 * A distance takes as many bytes as the widest cell needs.
 */

export const FLAG_LOST = 1
export const FLAG_LONG = 2
export const START_BYTES = 3
export const REST_BYTES = KEY_BYTES - 4
export const ITEM_BYTES = REST_BYTES + 2
export const LONG = 255
export const LONG_BYTES = 3
export const SET_BYTES_MAX = 2 ** 24 - 1
/** No bucket has more: its number would not fit. */
export const IDENTITIES_MAX = 0xffff

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
 * once in 2³². A call into zlib costs more than this loop takes for a head of usual size.
 */
function checksumOfWords(bytes: Uint8Array, length: number, seed: number): number {
  const words = wordsOf(bytes, length)
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

/** As above, for bytes that begin at `base`, which need not be at the beginning of a word. */
function checksumOfBytes(bytes: Uint8Array, base: number, length: number, seed: number): number {
  let [a, b] = [seed, length]
  const whole = base + (length & ~7)
  let at = base
  for (; at < whole; at += 8) {
    a = Math.imul(a ^ wordAt(bytes, at), 0x9e37_79b1)
    a ^= a >>> 15
    b = Math.imul(b ^ wordAt(bytes, at + 4), 0x85eb_ca6b)
    b ^= b >>> 13
  }
  for (const end = base + length; at < end; at++) {
    a = Math.imul(a ^ (bytes[at] as number), 0x9e37_79b1)
    a ^= a >>> 15
  }
  a = Math.imul(a ^ (b >>> 16) ^ (b << 16), 0x9e37_79b1)
  return (a ^ (a >>> 15)) >>> 0
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  )
}

/** The words of the buffers that are read over and over: that of lmdb, and those of builders. */
let lastBuffer: ArrayBufferLike | null = null
let lastWords: Int32Array = new Int32Array(0)

function wordsOf(bytes: Uint8Array, length: number): Int32Array {
  const { buffer, byteOffset } = bytes
  if (byteOffset !== 0) {
    // lmdb's own map of the file, for a long value.
    return new Int32Array(Uint8Array.prototype.slice.call(bytes, 0, length & ~3).buffer)
  }
  if (buffer !== lastBuffer) {
    lastBuffer = buffer
    lastWords = new Int32Array(buffer, 0, buffer.byteLength >>> 2)
  }
  return lastWords
}

/** What a byte of a CRC-16 comes to with none to three bytes behind it, 256 each. */
const CRC_TABLES = new Uint16Array(4 * 256)
for (let byte = 0; byte < 256; byte++) {
  let bits = byte << 8
  for (let i = 0; i < 8; i++) bits = (bits & 0x8000 ? (bits << 1) ^ 0x1021 : bits << 1) & 0xffff
  CRC_TABLES[byte] = bits
}
for (let n = 256; n < 4 * 256; n++) CRC_TABLES[n] = step(CRC_TABLES[n - 256] as number, 0)

/**
 * The own checksum of an identity: CRC-16 of key and set. It finds every flip of up to 16
 * neighbouring bits.
 */
export function checkOf(
  first: number,
  rests: Uint8Array,
  restAt: number,
  sets: Uint8Array,
  from: number,
  to: number,
): number {
  let bits = fourSteps(0xffff, first >>> 24, (first >>> 16) & 0xff, (first >>> 8) & 0xff, first)
  bits = crcOf(bits, rests, restAt, restAt + REST_BYTES)
  return crcOf(bits, sets, from, to)
}

function crcOf(begun: number, bytes: Uint8Array, from: number, to: number): number {
  let bits = begun
  let at = from
  // Four bytes at a time wait for each other once, not four times.
  for (; at + 4 <= to; at += 4) {
    bits = fourSteps(
      bits,
      bytes[at] as number,
      bytes[at + 1] as number,
      bytes[at + 2] as number,
      bytes[at + 3] as number,
    )
  }
  for (; at < to; at++) bits = step(bits, bytes[at] as number)
  return bits
}

function fourSteps(bits: number, a: number, b: number, c: number, d: number): number {
  return (
    (CRC_TABLES[768 + ((bits >>> 8) ^ a)] as number) ^
    (CRC_TABLES[512 + ((bits & 0xff) ^ b)] as number) ^
    (CRC_TABLES[256 + c] as number) ^
    (CRC_TABLES[d & 0xff] as number)
  )
}

function step(bits: number, byte: number): number {
  return ((bits << 8) & 0xffff) ^ (CRC_TABLES[(bits >>> 8) ^ byte] as number)
}

/**
 * Where the checksum of the head of a bucket that begins at `base` stands, or -1: it cannot be in
 * `length` bytes.
 */
export function headEnd(bytes: Uint8Array, length: number, wide: number, base = 0): number {
  if (length < START_BYTES + CHECKSUM_BYTES) return -1
  const count = bucketCount(bytes, base)
  const lengths = base + START_BYTES + count * wide
  let end = lengths + count
  if (((bytes[base] as number) & FLAG_LONG) !== 0 && end <= base + length) {
    for (let at = lengths, stop = end; at < stop; at++) if (bytes[at] === LONG) end += LONG_BYTES
  }
  return end + CHECKSUM_BYTES > base + length ? -1 : end
}

/** Ends a head that stands up to `end`. */
export function sealHead(bytes: Uint8Array, end: number, cell: number, cells: number): void {
  putChecksum(checksumOfWords(bytes, end, seedOf(cell, cells)), bytes, end)
}

/**
 * Whether the head of a bucket that begins at `base` and has `length` bytes is what was written for
 * this cell.
 */
export function hasWholeHead(
  bytes: Uint8Array,
  length: number,
  cell: number,
  cells: number,
  base = 0,
): boolean {
  const end = headEnd(bytes, length, distanceBytes(cells), base)
  if (end < 0) return false
  const seed = seedOf(cell, cells)
  const checksum =
    base === 0 ? checksumOfWords(bytes, end, seed) : checksumOfBytes(bytes, base, end - base, seed)
  return hasChecksum(bytes, end, checksum)
}

export function bucketCount(bytes: Uint8Array, base = 0): number {
  return ((bytes[base + 1] as number) << 8) | (bytes[base + 2] as number)
}

export function isLostIn(bytes: Uint8Array, base = 0): boolean {
  return ((bytes[base] as number) & FLAG_LOST) !== 0
}

/** What a search finds of a key. Unknown: nothing is stored of it. */
export const UNKNOWN = 0
export const FOUND = 1
export const DAMAGED = 2
export type Search = typeof UNKNOWN | typeof FOUND | typeof DAMAGED

/** Where a set was found. One place for all: a look-up makes no object. */
export const place = { from: 0, to: 0 }

/**
 * Looks a key up in a bucket that begins at `base` and has a whole head; FOUND: `place` says where
 * its set stands.
 */
export function findInBucket(
  bytes: Uint8Array,
  length: number,
  key: Uint8Array,
  cell: number,
  cells: number,
  base = 0,
): Search {
  const count = bucketCount(bytes, base)
  const wide = distanceBytes(cells)
  const first = firstOf(key)
  const distance = first - cellStart(cell, cells)
  // Keys are spread evenly, so the place of the key in the cell says nearly where it stands.
  let i = Math.min(count - 1, Math.floor((distance * count * cells) / 2 ** 32))
  while (i > 0 && distanceAt(bytes, i - 1, wide, base) >= distance) i--
  while (i < count && distanceAt(bytes, i, wide, base) < distance) i++
  let search: Search = isLostIn(bytes, base) ? DAMAGED : UNKNOWN
  for (; i < count && distanceAt(bytes, i, wide, base) === distance; i++) {
    const item = placeSet(bytes, count, wide, i, base)
    const isWhole =
      place.to <= base + length &&
      checkOf(first, bytes, item, bytes, place.from, place.to) === checkAt(bytes, item)
    const isThis = isSame(bytes, item, key)
    if (isThis && isWhole) return FOUND
    // One that is not whole and has the same first bytes may have been the one that is looked for.
    if (!isWhole) search = DAMAGED
  }
  return search
}

/** Sets `place` to a set, and returns where its item stands. */
function placeSet(bytes: Uint8Array, count: number, wide: number, i: number, base: number): number {
  const lengths = base + START_BYTES + count * wide
  let from = 0
  let end = lengths + count
  let at = lengths
  let set: number
  if (((bytes[base] as number) & FLAG_LONG) === 0) {
    for (const stop = lengths + i; at < stop; at++) from += bytes[at] as number
    set = bytes[at] as number
  } else {
    const lengthAt = (): number => {
      const length = bytes[at++] as number
      if (length !== LONG) return length
      end += LONG_BYTES
      return longAt(bytes, end - LONG_BYTES)
    }
    for (const stop = lengths + i; at < stop;) from += lengthAt()
    set = lengthAt()
    for (const stop = lengths + count; at < stop;) lengthAt()
  }
  const items = end + CHECKSUM_BYTES
  place.from = items + count * ITEM_BYTES + from
  place.to = place.from + set
  return items + i * ITEM_BYTES
}

export function distanceAt(bytes: Uint8Array, i: number, wide: number, base = 0): number {
  const at = base + START_BYTES + i * wide
  if (wide === 2) return ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
  let distance = 0
  for (let n = 0; n < wide; n++) distance = distance * 256 + (bytes[at + n] as number)
  return distance
}

export function longAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
  )
}

export function checkAt(bytes: Uint8Array, itemAt: number): number {
  return ((bytes[itemAt + REST_BYTES] as number) << 8) | (bytes[itemAt + REST_BYTES + 1] as number)
}

function isSame(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let n = 0; n < REST_BYTES; n++) if (bytes[at + n] !== key[n + 4]) return false
  return true
}
