import type { BucketReader } from "./bucket-reader.ts"
import {
  checkOf,
  distanceBytes,
  FLAG_LONG,
  FLAG_LOST,
  IDENTITIES_MAX,
  ITEM_BYTES,
  LONG,
  LONG_BYTES,
  REST_BYTES,
  sealHead,
  SET_BYTES_MAX,
  START_BYTES,
} from "./bucket.ts"
import { cellStart } from "./cells.ts"
import { CHECKSUM_BYTES } from "./checksum.ts"
import type { SpelledSets } from "./spelled-portion.ts"

/** Collects the identities of one cell, which come in order, and spells their bucket. */
export class BucketBuilder {
  count = 0
  /** See `BucketReader`. */
  isLost = false
  #start = 0
  #wide = 0
  #distances: Buffer = Buffer.allocUnsafeSlow(256)
  #lengths: Buffer = Buffer.allocUnsafeSlow(64)
  #items: Buffer = Buffer.allocUnsafeSlow(64 * ITEM_BYTES)
  #longs: Buffer = Buffer.allocUnsafeSlow(16 * LONG_BYTES)
  #longsEnd = 0
  #sets: Buffer = Buffer.allocUnsafeSlow(4_096)
  #setsEnd = 0
  #spelled: Buffer = Buffer.allocUnsafeSlow(8_192)

  begin(cell: number, cells: number): void {
    this.count = 0
    this.isLost = false
    this.#longsEnd = 0
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
    check = checkOf(first, rests, restAt, sets, from, to),
  ): void {
    const { count } = this
    const length = to - from
    if (count === this.#lengths.length) this.#grow()
    this.#sets = withRoom(this.#sets, this.#setsEnd + length)
    this.#putDistance(count, first)
    const items = this.#items
    let at = count * ITEM_BYTES
    for (let n = 0; n < REST_BYTES; n++) items[at++] = rests[restAt + n] as number
    items[at] = check >>> 8
    items[at + 1] = check
    this.#lengths[count] = length < LONG ? length : LONG
    if (length >= LONG) this.#putLong(length)
    copy(sets, from, length, this.#sets, this.#setsEnd)
    this.#setsEnd += length
    this.count = count + 1
  }

  /** Adds the one that the reader stands at as it is, damaged or not, and moves it on. */
  addOne(reader: BucketReader): void {
    const { bytes } = reader
    const { first, itemAt, setFrom, setTo, check } = reader
    this.add(first, bytes, itemAt, bytes, setFrom, setTo, check)
    reader.next()
  }

  /**
   * Adds those that the reader stands at and those after it, up to the first whose key begins with
   * `below` or more, and moves it there. They are copied as they are, damaged or not.
   */
  addBelow(reader: BucketReader, below: number): void {
    const { bytes, i: from, itemAt, setFrom } = reader
    let { count } = this
    // The distances and lengths one by one, the items and sets all at once.
    if (count + reader.count - from > this.#lengths.length) this.#grow(count + reader.count - from)
    let stop = setFrom
    while (reader.i < reader.count && reader.first < below) {
      this.#putDistance(count, reader.first)
      const length = bytes[reader.lengthAt] as number
      this.#lengths[count] = length
      if (length === LONG) this.#putLong(reader.setTo - reader.setFrom)
      count++
      stop = reader.setTo
      reader.next()
    }
    const added = count - this.count
    if (added === 0) return
    const size = stop - setFrom
    this.#sets = withRoom(this.#sets, this.#setsEnd + size)
    copy(bytes, itemAt, added * ITEM_BYTES, this.#items, this.count * ITEM_BYTES)
    copy(bytes, setFrom, size, this.#sets, this.#setsEnd)
    this.#setsEnd += size
    this.count = count
  }

  /**
   * Adds identities that stand beside each other and have their sets there: from one on, and before
   * another.
   */
  addSpelled(spelled: SpelledSets, from: number, to: number): void {
    const { firsts, items, lengths, sets, setsFrom } = spelled
    const { count } = this
    const added = to - from
    if (count + added > this.#lengths.length) this.#grow(count + added)
    this.#putDistances(count, firsts, from, to)
    const into = this.#lengths
    for (let i = from, at = count; i < to; i++, at++) into[at] = lengths[i] as number
    const [start, end] = [setsFrom[from] as number, setsFrom[to] as number]
    const size = end - start
    this.#sets = withRoom(this.#sets, this.#setsEnd + size)
    copy(items, from * ITEM_BYTES, added * ITEM_BYTES, this.#items, count * ITEM_BYTES)
    copy(sets, start, size, this.#sets, this.#setsEnd)
    this.#setsEnd += size
    this.count = count + added
  }

  /** The bucket's bytes are good until the next one is spelled. */
  spelled(cell: number, cells: number): Uint8Array {
    const { count } = this
    if (count > IDENTITIES_MAX) throw new RangeError("a bucket has too many identities")
    const distances = count * this.#wide
    const lengths = START_BYTES + distances
    const longs = lengths + count
    const head = longs + this.#longsEnd
    const items = head + CHECKSUM_BYTES
    const sets = items + count * ITEM_BYTES
    const end = sets + this.#setsEnd
    if (this.#spelled.length < end) this.#spelled = Buffer.allocUnsafeSlow(2 * end)
    const into = this.#spelled
    into[0] = (this.isLost ? FLAG_LOST : 0) | (this.#longsEnd > 0 ? FLAG_LONG : 0)
    into[1] = count >>> 8
    into[2] = count
    this.#distances.copy(into, START_BYTES, 0, distances)
    this.#lengths.copy(into, lengths, 0, count)
    this.#longs.copy(into, longs, 0, this.#longsEnd)
    sealHead(into, head, cell, cells)
    this.#items.copy(into, items, 0, count * ITEM_BYTES)
    this.#sets.copy(into, sets, 0, this.#setsEnd)
    return into.subarray(0, end)
  }

  #putDistance(i: number, first: number): void {
    const wide = this.#wide
    let left = first - this.#start
    for (let at = (i + 1) * wide - 1, n = 0; n < wide; n++, at--) {
      this.#distances[at] = left
      left = Math.floor(left / 256)
    }
  }

  #putDistances(count: number, firsts: Uint32Array, from: number, to: number): void {
    if (this.#wide !== 2) {
      for (let i = from, at = count; i < to; i++, at++) this.#putDistance(at, firsts[i] as number)
      return
    }
    const into = this.#distances
    for (let i = from, at = 2 * count; i < to; i++, at += 2) {
      const distance = (firsts[i] as number) - this.#start
      into[at] = distance >>> 8
      into[at + 1] = distance
    }
  }

  #putLong(length: number): void {
    if (length > SET_BYTES_MAX) throw new RangeError("a set is too long")
    this.#longs = withRoom(this.#longs, this.#longsEnd + LONG_BYTES)
    this.#longs[this.#longsEnd++] = length >>> 16
    this.#longs[this.#longsEnd++] = length >>> 8
    this.#longs[this.#longsEnd++] = length
  }

  #grow(least = this.count): void {
    const room = 2 * least
    this.#lengths = withRoom(this.#lengths, room)
    this.#items = withRoom(this.#items, room * ITEM_BYTES)
    this.#distances = withRoom(this.#distances, room * 4)
  }
}

/** A call costs as much as some tens of bytes in a loop. */
const LOOP_BYTES_MAX = 48

const buffers = Buffer.prototype as Buffer

function copy(from: Uint8Array, start: number, size: number, into: Buffer, at: number): void {
  if (size <= LOOP_BYTES_MAX) {
    for (let n = 0; n < size; n++) into[at + n] = from[start + n] as number
  } else {
    buffers.copy.call(from, into, at, start, start + size)
  }
}

function withRoom(bytes: Buffer, least: number): Buffer {
  if (least <= bytes.length) return bytes
  const larger = Buffer.allocUnsafeSlow(Math.max(least, 2 * bytes.length))
  bytes.copy(larger)
  return larger
}
