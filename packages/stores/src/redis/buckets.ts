import { createHash, randomBytes } from "node:crypto"
import { MalformedBytes } from "../bytes.ts"
import { CHECKSUM_BYTES, checksumOf, hasChecksum, putChecksum } from "../checksum.ts"
import { CHECKED_FORMAT, IndexDamaged, IndexUnavailable } from "../exposure-index.ts"
import type { Argument } from "./cluster-client.ts"
import type { ClusterConnection } from "./connection.ts"
import { HEAVY_BYTES, MARK, RESTATED, TENANT_COUNT, type Layout } from "./layout.ts"
import { type Making, values } from "./meta.ts"
import { PackedValues } from "./packed-values.ts"
import { ANY_STAMP, changeBucket, fillBucket, makeBucket, run } from "./scripts.ts"

/** The stored value of a field; undefined: none. */
export type Value = Uint8Array | undefined

/**
 * The buckets of one index. Every method throws IndexUnavailable for a bucket that does not carry
 * the index's mark.
 */
export interface Buckets {
  /** The values of some fields, all of the same moment. */
  read(bucket: number, fields: readonly Buffer[]): Promise<Value[]>
  /**
   * Replaces the values of some fields by the result of `decide`, all at once; an empty list leaves
   * them as they are. If another process changed them first, `decide` runs again on the new values.
   * Where it restates them, it runs again also if another process restated or overwrote some of the
   * bucket meanwhile, be it by what was there. With `read`, what `fill` found there, it is not read
   * before it has changed.
   */
  change(
    bucket: number,
    fields: readonly Buffer[],
    decide: (values: readonly Value[]) => readonly Value[] | Promise<readonly Value[]>,
    how?: { readonly restates?: boolean; readonly read?: readonly (Buffer | null)[] },
  ): Promise<void>
  /** Takes values for `fill`. */
  packing(): PackedValues
  /**
   * Puts shared values where nothing is yet, in one round trip, FILL_FIELDS_MAX at most. Resolves
   * to what stands in the place of the others, by their number; null: one too long for its bucket
   * has nothing there. What is there already as it should be is left out.
   */
  fill(bucket: number, packed: Buffer): Promise<ReadonlyMap<number, Buffer | null>>
  /** Replaces values, even unreadable ones. */
  overwrite(bucket: number, fields: readonly Buffer[], values: readonly Value[]): Promise<void>
  /**
   * Makes an empty bucket; an existing one of this index stays unchanged. False: there is one of
   * another index.
   */
  make(bucket: number): Promise<boolean>
  count(bucket: number): Promise<{ identities: number; tenantIdentities: number }>
  /**
   * All fields of identities with their values; null: damaged. A heavy one has only its stamp in
   * the bucket.
   */
  list(bucket: number): Promise<(readonly [field: Buffer, value: Buffer | null])[]>
}

/** Each write that fails means that one of another process succeeded. */
const WRITES_MAX = 100
/** A heavy value that is not there so often was not just being changed. */
const READS_MAX = 8

/**
 * A heavy identity's bucket has the stamp of its value, and the value begins with it: a value that
 * was lost or is of another moment is noticed. 9 bytes that begin so are no entry set: it would
 * begin with 129 cut records or more.
 */
const HEAVY = 0x81
const STAMP_BYTES = 8
const RESTATED_FIELD = Buffer.from(RESTATED)

/** Of what was restated last in a bucket, before a write and after it. */
interface Stamps {
  readonly before: Argument
  readonly after: Argument
}

export function openBuckets(
  connection: ClusterConnection,
  layout: Layout,
  { mark, format }: Pick<Making, "mark" | "format">,
): Buckets {
  const checked = format >= CHECKED_FORMAT
  const placeOf = (bucket: number, field: Buffer): Buffer => {
    const place = Buffer.allocUnsafe(4 + field.length)
    place.writeUInt32BE(bucket)
    place.set(field, 4)
    return place
  }
  /** The stored form in a bucket: the value and its checksum, which also covers the place. */
  const sealed = (bucket: number, field: Buffer, value: Uint8Array): Buffer => {
    if (!checked) return Buffer.from(value)
    const bytes = Buffer.allocUnsafe(value.length + CHECKSUM_BYTES)
    bytes.set(value)
    putChecksum(checksumOf(placeOf(bucket, field), value), bytes, value.length)
    return bytes
  }
  /** The value of a field without its checksum, or null if the checksum does not match. */
  const unsealed = (bucket: number, field: Buffer, stored: Buffer): Buffer | null => {
    if (!checked) return stored
    const length = stored.length - CHECKSUM_BYTES
    if (length < 0) return null
    const checksum = checksumOf(placeOf(bucket, field), stored, length)
    return hasChecksum(stored, length, checksum) ? stored.subarray(0, length) : null
  }
  /** What the bucket itself has. */
  const fetched = async (
    bucket: number,
    fields: readonly Buffer[],
  ): Promise<readonly (Buffer | null)[]> => {
    const key = layout.bucketKey(bucket)
    const reply = await connection.send(key, ["HMGET", key, MARK, ...fields])
    const [found, ...stored] = values(reply, 1 + fields.length)
    requireMark(found)
    return stored
  }
  const requireMark = (found: Buffer | null | undefined): void => {
    if (!found?.equals(mark)) throw new IndexUnavailable("A part of the index is lost")
  }
  /** The heavy value that a stamp refers to, or undefined if it is missing or of another moment. */
  const followed = async (bucket: number, field: Buffer, stored: Buffer): Promise<Value> => {
    const key = layout.heavyKey(bucket, field)
    const value = await connection.send(key, ["GET", key])
    if (!(value instanceof Buffer) || value.length <= STAMP_BYTES) return undefined
    const rest = value.subarray(STAMP_BYTES)
    return stampOf(rest).equals(stored.subarray(1)) ? rest : undefined
  }
  /** The values of fields, or null where one changed while they were read. */
  const resolved = async (
    bucket: number,
    fields: readonly Buffer[],
    stored: readonly (Buffer | null)[],
  ): Promise<Value[] | null> => {
    const found: Value[] = []
    for (const [i, field] of fields.entries()) {
      const bytes = stored[i] ?? undefined
      const value = bytes && unsealed(bucket, field, bytes)
      if (value === null) throw new IndexDamaged("A value of the index does not have its checksum")
      if (value === undefined || !isHeavy(value)) {
        found.push(value)
        continue
      }
      const heavy = await followed(bucket, field, value)
      if (heavy === undefined) return null
      found.push(heavy)
    }
    return found
  }

  /**
   * Writes values if the fields still are what was read; false if they are not. `mayBeHeavy` judges
   * the earlier values.
   */
  const written = async (
    bucket: number,
    fields: readonly Buffer[],
    stored: readonly (Buffer | null)[],
    after: readonly Value[],
    mayBeHeavy: (was: Buffer) => boolean,
    stamps: Stamps,
  ): Promise<boolean> => {
    if (after.length !== fields.length) throw new RangeError("a value for each field")
    const keys: [string, ...string[]] = [layout.bucketKey(bucket)]
    const heavies: Buffer[] = []
    const args: Argument[] = [mark, String(layout.tenantFieldBytes), stamps.before, stamps.after]
    const changes: Uint8Array[] = []
    for (const [i, field] of fields.entries()) {
      const was = stored[i] ?? NONE
      const value = after[i]
      const heavy = value !== undefined && value.length > HEAVY_BYTES ? stamped(value) : null
      const becomes =
        value === undefined
          ? NONE
          : sealed(bucket, field, heavy === null ? value : reference(heavy))
      changes.push(field, was, becomes)
      const wasHeavy = was.length > 0 && mayBeHeavy(unsealed(bucket, field, was) ?? NONE)
      if (was.equals(becomes) || (heavy === null && !wasHeavy)) continue
      keys.push(layout.heavyKey(bucket, field))
      heavies.push(heavy ?? NONE)
    }
    args.push(behindLengths(changes), ...heavies)
    const done = await run(connection.replicated, changeBucket, keys, args)
    if (done === -1) throw new IndexUnavailable("A part of the index is lost")
    return done === 1
  }

  return {
    async read(bucket, fields) {
      for (let attempt = 0; attempt < READS_MAX; attempt++) {
        const found = await resolved(bucket, fields, await fetched(bucket, fields))
        if (found !== null) return found
      }
      throw new IndexUnavailable("A part of the index is lost")
    },

    async change(bucket, fields, decide, { restates = false, read } = {}) {
      for (let attempt = 0; attempt < WRITES_MAX; attempt++) {
        const [stamp, ...stored] =
          attempt === 0 && read !== undefined && !restates
            ? [null, ...read]
            : await fetched(bucket, [RESTATED_FIELD, ...fields])
        const before = await resolved(bucket, fields, stored)
        if (before === null) continue
        const after = await decide(before)
        const isChanged = after.length > 0
        // What is there may be of a change that no replica had in time, and who restates it is in
        // the way of those who read before.
        const isDone = !isChanged && !restates
        if (isDone && !(await connection.hasReplica(layout.bucketKey(bucket)))) return
        const stamps = restates ? restating(stamp ?? NONE) : UNSTAMPED
        const becomes = isChanged ? after : before
        if (await written(bucket, fields, stored, becomes, isHeavy, stamps)) return
      }
      throw new IndexUnavailable("The index changes faster than it can be written")
    },

    packing: () => new PackedValues(layout.sharedFieldBytes, checked),

    async fill(bucket, packed) {
      const size = String(layout.sharedFieldBytes)
      const key = layout.bucketKey(bucket)
      const reply = await run(connection.replicated, fillBucket, [key], [mark, size, packed])
      if (reply === -1) throw new IndexUnavailable("A part of the index is lost")
      if (!Array.isArray(reply)) throw new MalformedBytes("a reply of another shape")
      const others = new Map<number, Buffer | null>()
      for (let i = 0; i + 1 < reply.length; i += 2) {
        const there = reply[i + 1] as Buffer
        others.set(Number(reply[i]), there.length === 0 ? null : there)
      }
      return others
    },

    async overwrite(bucket, fields, after) {
      for (let attempt = 0; attempt < WRITES_MAX; attempt++) {
        const stored = await fetched(bucket, fields)
        // A damaged value may have stood for a heavy one, which must go with it.
        if (await written(bucket, fields, stored, after, () => true, restating(ANY_STAMP))) return
      }
      throw new IndexUnavailable("The index changes faster than it can be written")
    },

    async make(bucket) {
      const key = layout.bucketKey(bucket)
      return (await run(connection.replicated, makeBucket, [key], [mark])) === 1
    },

    async count(bucket) {
      const key = layout.bucketKey(bucket)
      const [size, reply] = await Promise.all([
        connection.send(key, ["HLEN", key]),
        connection.send(key, ["HMGET", key, MARK, TENANT_COUNT, RESTATED]),
      ])
      const found = values(reply, 3)
      const [own, tenants = null] = found
      requireMark(own)
      const tenantIdentities = tenants === null ? 0 : Number(tenants.toString())
      const besides = found.filter((value) => value !== null).length
      return { identities: Number(size) - besides - tenantIdentities, tenantIdentities }
    },

    async list(bucket) {
      const key = layout.bucketKey(bucket)
      const reply = await connection.send(key, ["HGETALL", key])
      if (!Array.isArray(reply)) throw new MalformedBytes("a reply of another shape")
      const all = reply as Buffer[]
      const listed: (readonly [Buffer, Buffer | null])[] = []
      let found: Buffer | null = null
      for (let i = 0; i + 1 < all.length; i += 2) {
        const [field, value] = [all[i] as Buffer, all[i + 1] as Buffer]
        if (field.length > 1) listed.push([field, unsealed(bucket, field, value)])
        else if (field.toString() === MARK) found = value
      }
      requireMark(found)
      return listed
    },
  }
}

const NONE = Buffer.alloc(0)
const LENGTH_BYTES = 4
const UNSTAMPED: Stamps = { before: ANY_STAMP, after: NONE }

function restating(before: Argument): Stamps {
  return { before, after: randomBytes(STAMP_BYTES) }
}

/** All of them in one argument, each behind its length. */
function behindLengths(parts: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.allocUnsafe(
    parts.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0),
  )
  let at = 0
  for (const part of parts) {
    at = bytes.writeUInt32BE(part.length, at)
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

export function isHeavy(value: Buffer): boolean {
  return value.length === 1 + STAMP_BYTES && value[0] === HEAVY
}

/** A heavy value in the form stored under its key. */
function stamped(value: Uint8Array): Buffer {
  return Buffer.concat([stampOf(value), value])
}

function stampOf(value: Uint8Array): Buffer {
  return createHash("sha256").update(value).digest().subarray(0, STAMP_BYTES)
}

/** What a bucket has of a heavy value. */
function reference(heavy: Buffer): Buffer {
  return Buffer.concat([Uint8Array.of(HEAVY), heavy.subarray(0, STAMP_BYTES)])
}
