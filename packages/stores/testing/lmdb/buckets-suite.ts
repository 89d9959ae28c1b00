import { readFileSync } from "node:fs"
import { ITEM_BYTES, REST_BYTES } from "../../src/bucket.ts"
import { BucketBuilder } from "../../src/bucket-builder.ts"
import { BucketReader } from "../../src/bucket-reader.ts"
import { cellOf, firstOf } from "../../src/cells.ts"
import { partOf } from "../../src/lmdb/bucket-layout.ts"
import { Buckets } from "../../src/lmdb/buckets.ts"
import { type Environment, openEnvironment } from "../../src/lmdb/environment.ts"

const CHECK_BYTES = ITEM_BYTES - REST_BYTES

/** Where the bucket of an identity stands in a file, and its parts in it. */
export interface Places {
  readonly cell: number
  readonly bucket: number
  /** Where the head ends and items begin. */
  readonly items: number
  readonly end: number
  /**
   * Of the identity: the last twelve bytes of its key, with its own checksum behind, and its set.
   */
  readonly rest: number
  readonly check: number
  readonly set: number
  readonly setEnd: number
}

export function bucketsOf({ shared }: Pick<Environment, "shared">): Buckets {
  if (!(shared instanceof Buckets)) throw new Error("The identities are not in buckets")
  return shared
}

/** The bucket of an identity, and a reader that stands at the identity. */
export function bucketWith(
  buckets: Buckets,
  key: Uint8Array,
): { bytes: Buffer; reader: BucketReader; cell: number; cells: number; side: 0 | 1 } {
  const { side, cells } = partOf(buckets.layoutAt(), firstOf(key))
  const cell = cellOf(firstOf(key), cells)
  const lent = buckets.bucket(side, cell, cells)
  const bytes = Buffer.from(Uint8Array.prototype.slice.call(lent, 0, lent.length))
  // Its own memory, as a bucket's words are read from.
  const own = Buffer.from(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  const reader = new BucketReader()
  reader.read(own, own.length, cell, cells)
  while (reader.i < reader.count && reader.order(firstOf(key), key, 4) !== 0) reader.next()
  return { bytes: own, reader, cell, cells, side }
}

/** How many cells an index has. */
export function cellsIn(path: string): number {
  const environment = openEnvironment(path, "read", 2 ** 30)
  const { cells } = bucketsOf(environment).layoutAt()
  void environment.close()
  return cells
}

/** The places of an identity in a data file that has its bucket once. */
export function placesOf(path: string, dataFile: string, key: Uint8Array): Places {
  const environment = openEnvironment(path, "read", 2 ** 30)
  const { bytes, reader, cell } = bucketWith(bucketsOf(environment), key)
  void environment.close()
  if (reader.i >= reader.count) throw new Error("The identity is not in its bucket")
  const bucket = readFileSync(dataFile).indexOf(bytes)
  if (bucket < 0) throw new Error("The bucket is not in the file")
  const items = reader.itemAt - reader.i * ITEM_BYTES
  return {
    cell,
    bucket,
    items: bucket + items,
    end: bucket + bytes.length,
    rest: bucket + reader.itemAt,
    check: bucket + reader.itemAt + REST_BYTES,
    set: bucket + reader.setFrom,
    setEnd: bucket + reader.setTo,
  }
}

/**
 * Inside a write transaction: puts other bytes in the place of an identity's set and the two bytes
 * of its own checksum, which follow it here.
 */
export function alterIdentity(
  buckets: Buckets,
  key: Uint8Array,
  change: (stored: Buffer) => Buffer,
): void {
  const { reader, cell, cells, side } = bucketWith(buckets, key)
  const builder = new BucketBuilder()
  const at = reader.i
  const others = new BucketReader()
  others.read(reader.bytes, reader.bytes.length, cell, cells)
  builder.begin(cell, cells)
  builder.isLost = others.isLost
  while (others.i < others.count) {
    if (others.i !== at) {
      builder.addOne(others)
      continue
    }
    const { bytes, setFrom, setTo, itemAt, first } = others
    const check = bytes.subarray(itemAt + REST_BYTES, itemAt + ITEM_BYTES)
    const changed = change(Buffer.concat([bytes.subarray(setFrom, setTo), check]))
    const set = changed.subarray(0, Math.max(0, changed.length - CHECK_BYTES))
    const own = Buffer.concat([changed.subarray(set.length), Buffer.alloc(CHECK_BYTES)])
    builder.add(first, bytes, itemAt, set, 0, set.length, own.readUInt16BE())
    others.next()
  }
  buckets.putBucket(side, cell, builder.spelled(cell, cells), false)
}
