import { MalformedBytes } from "../bytes.ts"
import { BatchRefused, emptyCatalogue, type CatalogueDocument, type Owner } from "../catalogue.ts"
import { isTombstone, TOMBSTONE } from "../entry-set.ts"
import { IndexUnavailable, type Found } from "../exposure-index.ts"
import { INDEX_BUCKET_BITS, type MarkedIndex } from "../index-place.ts"
import { indexOver, requireLoading, type IndexStorage } from "../index-storage.ts"
import { addFound, isReadable, tenantsAsked, UnknownBatch, type Finding } from "../stored-set.ts"
import { isHeavy, openBuckets, type Buckets } from "./buckets.ts"
import type { ClusterPlace } from "./cluster-place.ts"
import { openConnection, type ClusterConnection } from "./connection.ts"
import { IN_FLIGHT, inFlight, numbers } from "./in-flight.ts"
import { layoutOf, type Layout } from "./layout.ts"
import { madeIndex, madeOrNewIndex } from "./making.ts"
import { isSameStamp, openMeta, type Meta, type Stamped } from "./meta.ts"
import { requireSpellable, rowWriter } from "./row-writer.ts"
import { mergeBlocks } from "./segment-writer.ts"

export interface RedisIndexOptions {
  readonly place: ClusterPlace
  /** Begins the names of all its keys, so that a cluster can have several indexes. */
  readonly name: string
  /** For processes that only look up. */
  readonly readOnly?: boolean
  /** Without it, an index that is not there is a fault and not a reason to make one. */
  readonly mayMake?: boolean
  /** Of an index that is made now: how many bits of a key name its bucket. */
  readonly bucketBits?: number
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 1000
/** Each attempt that fails means that another process changed the catalogue. */
const CATALOGUE_CHANGES_MAX = 50

/**
 * Opens the index in a Redis or Valkey cluster. Throws IndexUnavailable where
 * it cannot be read.
 *
 * A change that was acknowledged is in the memory of the node it belongs to, and where a replica
 * could take its place in that of a replica; how much of a power cut it survives is set there
 * (`appendfsync always`: all). A change of one identity is all or
 * nothing. One of several identities that fails half way may have reached some of them; doing it
 * again completes it. An identity's data is read as of one moment, and so is the catalogue; both
 * are read again until the catalogue did not change in between.
 */
export async function openRedisIndex(options: RedisIndexOptions): Promise<MarkedIndex> {
  const { place, name, readOnly = false, timeoutMs = TIMEOUT_MS } = options
  const connection = await openConnection({ place, timeoutMs })
  try {
    const meta = openMeta(connection, name)
    const made = await named(
      readOnly || options.mayMake === false
        ? madeIndex(meta)
        : madeOrNewIndex(connection, meta, name, options.bucketBits ?? INDEX_BUCKET_BITS.fallback),
    )
    const layout = layoutOf(name, made.bits)
    const buckets = openBuckets(connection, layout, made)
    const index = indexOver(storageOn({ connection, meta, layout, buckets, readOnly }))
    await index.ping()
    return { ...index, mark: made.mark.toString("hex") }
  } catch (error) {
    await connection.close()
    throw error
  }
}

interface Parts {
  readonly connection: ClusterConnection
  readonly meta: Meta
  readonly layout: Layout
  readonly buckets: Buckets
  readonly readOnly: boolean
}

function storageOn({ connection, meta, layout, buckets, readOnly }: Parts): IndexStorage {
  const writer = rowWriter(layout, buckets)
  let held: Stamped = { stamp: { version: "", random: "" }, document: emptyCatalogue }

  const current = async (): Promise<Stamped> => {
    if (!isSameStamp(await meta.stamp(), held.stamp)) held = await meta.document()
    return held
  }
  const currentDocument = async (): Promise<CatalogueDocument> => (await current()).document
  /** What is held is no longer, or not yet, the catalogue of what was read. */
  const readAnew = async (before: Stamped): Promise<void> => {
    held = await meta.document()
    if (isSameStamp(held.stamp, before.stamp)) throw new UnknownBatch("entry of an unknown batch")
  }
  const requireWritable = (): void => {
    if (readOnly) throw new IndexUnavailable("The index is open for reading only")
  }

  /**
   * The entries and their catalogue. Both are requested at once. If the catalogue is no longer the
   * one held, or an entry names a batch it does not know yet, both are requested again.
   */
  const found = async (key: Uint8Array, tenants: number | "all" | null): Promise<Found> => {
    const bucket = layout.bucketOf(key)
    const shared = layout.sharedField(key)
    for (let attempt = 0; attempt < CATALOGUE_CHANGES_MAX; attempt++) {
      const asked = held
      const { stamp, document } = asked
      const tenantIds = [...tenantsAsked(document, tenants)]
      const fields = [shared, ...tenantIds.map((id) => layout.tenantField(id, key))]
      const [now, stored] = await Promise.all([meta.stamp(), buckets.read(bucket, fields)])
      if (isSameStamp(now, stamp)) {
        try {
          return foundIn(stored, tenantIds, document)
        } catch (error) {
          if (!(error instanceof UnknownBatch)) throw error
        }
      }
      await readAnew(asked)
    }
    throw new IndexUnavailable("The catalogue changes faster than it can be read")
  }

  /**
   * Writes rows; where they meet entries of a batch opened meanwhile, once more by the catalogue
   * that knows it.
   */
  const byCatalogue = async <T>(
    ownerIn: (document: CatalogueDocument) => Owner,
    write: (owner: Owner, document: CatalogueDocument) => Promise<T>,
  ): Promise<T> => {
    requireWritable()
    let asked = await current()
    const owner = ownerIn(asked.document)
    for (;;) {
      try {
        return await write(owner, asked.document)
      } catch (error) {
        if (!(error instanceof UnknownBatch)) throw error
        await readAnew(asked)
        asked = held
      }
    }
  }
  return {
    found: (key, tenants) => named(found(key, tenants)),

    document: () => named(currentDocument()),

    changeDocument: (change) =>
      named(
        (async () => {
          requireWritable()
          for (let attempt = 0; attempt < CATALOGUE_CHANGES_MAX; attempt++) {
            const { stamp, document } = await current()
            const changed = change(document)
            if (changed.document === document) {
              if (await meta.isHeld(stamp)) return changed
            } else if (await meta.replace(stamp, changed.document)) return changed
          }
          throw new IndexUnavailable("The catalogue changes faster than it can be written")
        })(),
      ),

    put: (rows, join, ownerIn) =>
      named(
        byCatalogue(ownerIn, async (owner, document) => {
          requireSpellable(rows)
          await writer.put(rows, owner, document, join)
        }),
      ),

    putAsked: (key, entriesNow, join, ownerIn) =>
      named(
        byCatalogue(ownerIn, (owner, document) =>
          writer.putAsked(key, entriesNow, owner, document, join),
        ),
      ),

    mergeSegment(batchId, blocks) {
      const ownerIn = (document: CatalogueDocument): Owner =>
        requireLoading(document, batchId).owner
      return mergeBlocks({ batchId, blocks, layout, buckets }, (work) =>
        named(byCatalogue(ownerIn, (_, document) => work(document))),
      )
    },

    async erase(key, tenantId) {
      requireWritable()
      const bucket = layout.bucketOf(key)
      const clear = async ({ tenants }: CatalogueDocument): Promise<void> => {
        const ids = tenantId === undefined ? [...tenants] : [tenantId]
        const fields = ids.map((id) => layout.tenantField(id, key))
        if (tenantId === undefined) fields.push(layout.sharedField(key))
        await buckets.overwrite(
          bucket,
          fields,
          fields.map((_, i) => (i < ids.length ? undefined : TOMBSTONE)),
        )
      }
      await named(
        (async () => {
          let document: CatalogueDocument
          do {
            document = await currentDocument()
            await clear(document)
            // A tenant that is new since may have written before the tombstone stood. After it,
            // nothing is written.
          } while ((await currentDocument()).tenants.size !== document.tenants.size)
        })(),
      )
    },

    keyCheck: () => named(meta.keyCheck()),

    async keepKeyCheck(value) {
      requireWritable()
      return await named(meta.keepKeyCheck(value))
    },

    copyTo: async () => false,

    async stats() {
      const counts = { identities: 0, tenantIdentities: 0 }
      await named(
        inFlight(numbers(layout.buckets), IN_FLIGHT, async (bucket) => {
          const { identities, tenantIdentities } = await buckets.count(bucket)
          counts.identities += identities
          counts.tenantIdentities += tenantIdentities
        }),
      )
      const made = await named(madeIndex(meta))
      return { ...counts, bytes: await named(usedBytes(connection)), format: made.format }
    },

    async sample(count) {
      let read = 0
      let faults = 0
      const asked = Math.min(count, layout.buckets)
      const most = Math.ceil(count / layout.buckets)
      const spread = Array.from(numbers(asked), (i) => Math.floor((i * layout.buckets) / asked))
      const probe = async (bucket: number): Promise<void> => {
        const left = { shared: most, tenants: most }
        for (const [field, value] of await buckets.list(bucket)) {
          const whose = field.length === layout.tenantFieldBytes ? "tenants" : "shared"
          if (left[whose]-- <= 0) continue
          read += 1
          if (!(await isWhole(bucket, field, value))) faults += 1
        }
      }
      const isWhole = async (
        bucket: number,
        field: Buffer,
        value: Buffer | null,
      ): Promise<boolean> => {
        if (value === null) return false
        const [whole] = isHeavy(value) ? await buckets.read(bucket, [field]) : [value]
        return whole === undefined || isReadable(whole)
      }
      await named(inFlight(spread, IN_FLIGHT, probe))
      return { read, faults }
    },

    async ping() {
      await named(madeIndex(meta).then(() => meta.document()))
    },

    close: () => connection.close(),
  }
}

/** The shared set comes first, then one of each tenant. Throws UnknownBatch. */
function foundIn(
  [shared, ...own]: readonly (Uint8Array | undefined)[],
  tenantIds: readonly number[],
  catalogue: CatalogueDocument,
): Found {
  const finding: Finding = { entries: [], cut: 0, erased: isTombstone(shared), catalogue }
  if (finding.erased) return finding
  addFound(finding, shared, "shared")
  for (const [i, tenantId] of tenantIds.entries()) addFound(finding, own[i], tenantId)
  return finding
}

/** What the nodes use, all that they hold included. */
async function usedBytes(connection: ClusterConnection): Promise<number> {
  let bytes = 0
  for (const reply of await connection.sendToMasters(["INFO", "memory"])) {
    const used = /^used_memory:(\d+)/m.exec(String(reply))
    if (used === null) throw new MalformedBytes("a node that does not say what it uses")
    bytes += Number(used[1])
  }
  return bytes
}

/** Waits for `work` and turns errors of the store into IndexUnavailable. */
async function named<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    // These explain themselves; two of them are about the caller's arguments.
    if (error instanceof IndexUnavailable) throw error
    if (error instanceof BatchRefused || error instanceof RangeError) throw error
    throw new IndexUnavailable("The index cannot be read or written", { cause: error })
  }
}
