import {
  bucketCount,
  checkAt,
  checkOf,
  distanceAt,
  distanceBytes,
  headEnd,
  isLostIn,
  ITEM_BYTES,
  LONG,
  LONG_BYTES,
  longAt,
  REST_BYTES,
  START_BYTES,
} from "./bucket.ts"
import { cellStart } from "./cells.ts"
import { CHECKSUM_BYTES } from "./checksum.ts"
import { KEY_BYTES } from "./exposure-index.ts"

/** Walks through the identities of a bucket whose head is whole. */
export class BucketReader {
  bytes: Uint8Array = Buffer.alloc(0)
  count = 0
  /** Others of the cell were in a bucket that could not be read. */
  isLost = false
  /** Which identity it stands at; `count`: past the last. */
  i = 0
  /** Of the identity it stands at: the first four bytes of its key, and where all else stands. */
  first = 0
  itemAt = 0
  setFrom = 0
  setTo = 0
  /** Where the length of its set stands, and among the long ones that of the next long one. */
  lengthAt = 0
  longsAt = 0
  #start = 0
  #wide = 0

  /**
   * Begins at the first identity of a bucket, whose bytes may not change meanwhile. False: it is
   * shorter than its head says.
   */
  read(bytes: Uint8Array, length: number, cell: number, cells: number): boolean {
    const count = bucketCount(bytes)
    const wide = distanceBytes(cells)
    this.bytes = bytes
    this.count = count
    this.isLost = isLostIn(bytes)
    this.i = 0
    this.#start = cellStart(cell, cells)
    this.#wide = wide
    this.lengthAt = START_BYTES + count * wide
    this.longsAt = this.lengthAt + count
    const end = headEnd(bytes, length, wide)
    this.itemAt = end + CHECKSUM_BYTES
    this.setFrom = this.itemAt + count * ITEM_BYTES
    this.setTo = this.setFrom
    let sets = 0
    for (let at = this.lengthAt, stop = this.longsAt; at < stop; at++) sets += bytes[at] as number
    for (let at = this.longsAt; at < end; at += LONG_BYTES) sets += longAt(bytes, at) - LONG
    if (this.setFrom + sets > length) return false
    if (count > 0) this.#settle()
    return true
  }

  next(): void {
    if (++this.i >= this.count) return
    this.itemAt += ITEM_BYTES
    this.lengthAt++
    this.#settle()
  }

  /** Its own checksum. */
  get check(): number {
    return checkAt(this.bytes, this.itemAt)
  }

  /** Whether key and set are what was written. */
  get isIntact(): boolean {
    const { bytes } = this
    return checkOf(this.first, bytes, this.itemAt, bytes, this.setFrom, this.setTo) === this.check
  }

  /** How its key compares with another, of which the last twelve bytes stand in `rests`. */
  order(first: number, rests: Uint8Array, restAt: number): number {
    if (this.first !== first) return this.first - first
    const { bytes, itemAt } = this
    for (let n = 0; n < REST_BYTES; n++) {
      const difference = (bytes[itemAt + n] as number) - (rests[restAt + n] as number)
      if (difference !== 0) return difference
    }
    return 0
  }

  key(): Buffer {
    const key = Buffer.allocUnsafe(KEY_BYTES)
    key.writeUInt32BE(this.first)
    for (let n = 0; n < REST_BYTES; n++) key[4 + n] = this.bytes[this.itemAt + n] as number
    return key
  }

  #settle(): void {
    this.first = this.#start + distanceAt(this.bytes, this.i, this.#wide)
    const length = this.bytes[this.lengthAt] as number
    this.setFrom = this.setTo
    if (length === LONG) {
      this.setTo += longAt(this.bytes, this.longsAt)
      this.longsAt += LONG_BYTES
    } else {
      this.setTo += length
    }
  }
}
