import { cellOf, firstOf } from "../cells.ts"
import { KEY_BYTES } from "../exposure-index.ts"

/**
 * A longer value gets its own key: it would make the whole bucket slow to read and expensive to
 * keep.
 */
export const HEAVY_BYTES = 1024

/**
 * In every bucket: the mark of the index it belongs to. This name and the next two are shorter than
 * any identity's field.
 */
export const MARK = "m"
/** In buckets with evidence of tenants: how many of the fields are theirs. */
export const TENANT_COUNT = "t"
/**
 * In buckets where tenants' evidence was restated or erased: a random stamp, another one with each
 * time. Who read the bucket before the newest of them may not write what follows from it, even if
 * all values are again what they were.
 */
export const RESTATED = "r"

/**
 * Where things are. A bucket has the identities of one cell, as in an index in files: the number of
 * cells is a power of two, so that the first bits of a key name its bucket, and its fields leave
 * out what those bits say. A bucket is one hash, small enough that the engine keeps it as one
 * packed piece of memory:
 *
 *   NAME:{meta}          format, bits, mark, version, stamp, catalogue, key-check
 *   NAME:{BUCKET}        m: mark, t: number of tenants' fields, r: stamp of the last restating
 *                        rest of an identity key: entry set
 *                        tenant id (4 bytes, big-endian) and rest of an identity key: entry set
 *   NAME:{BUCKET}:FIELD  a value too long for its bucket, which then has only its stamp
 *
 * The part in braces decides which node has the key, so a bucket and its heavy identities are on
 * the same node.
 */
export interface Layout {
  readonly buckets: number
  /** A shared field is the last so many bytes of a key. */
  readonly sharedFieldBytes: number
  /** Bytes of a tenant's field. A shared field is shorter. */
  readonly tenantFieldBytes: number
  /** The bucket of the key that begins at `at`. */
  bucketOf(key: Uint8Array, at?: number): number
  bucketKey(bucket: number): string
  heavyKey(bucket: number, field: Buffer): string
  sharedField(key: Uint8Array): Buffer
  tenantField(tenantId: number, key: Uint8Array): Buffer
}

export function metaKey(name: string): string {
  return `${name}:{meta}`
}

export function layoutOf(name: string, bits: number): Layout {
  const buckets = 2 ** bits
  const skipped = Math.floor(bits / 8)
  const digits = Math.ceil(bits / 4)
  const hex = (bucket: number): string => bucket.toString(16).padStart(digits, "0")
  const bucketKey = (bucket: number): string => `${name}:{${hex(bucket)}}`
  return {
    buckets,
    sharedFieldBytes: KEY_BYTES - skipped,
    tenantFieldBytes: 4 + KEY_BYTES - skipped,
    bucketOf: (key, at) => cellOf(firstOf(key, at), buckets),
    bucketKey,
    heavyKey: (bucket, field) => `${bucketKey(bucket)}:${field.toString("hex")}`,
    sharedField: (key) => Buffer.from(key.subarray(skipped)),
    tenantField(tenantId, key) {
      const field = Buffer.allocUnsafe(4 + KEY_BYTES - skipped)
      field.writeUInt32BE(tenantId)
      field.set(key.subarray(skipped), 4)
      return field
    },
  }
}
