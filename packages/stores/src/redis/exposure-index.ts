import { MalformedBytes } from "../bytes.ts"
import {
  BatchRefused,
  emptyCatalogue,
  withBatch,
  withLive,
  withoutBatch,
  withoutSource,
  withSource,
  withSources,
  type Catalogue,
  type CatalogueDocument,
  type Owner,
} from "../catalogue.ts"
import { entryBytes } from "../entry.ts"
import {
  firstEntrySet,
  isTombstone,
  mergedEntrySet,
  readEntrySet,
  replacedEntrySet,
  TOMBSTONE,
} from "../entry-set.ts"
import { IndexUnavailable, type ExposureIndex, type Found, type Row } from "../exposure-index.ts"
import {
  isOwnLive,
  requireKey,
  requireLoading,
  requireOwnLive,
  requireRow,
  requireTenantId,
} from "../index-arguments.ts"
import type { MarkedIndex } from "../index-place.ts"
import { identitiesOf } from "../segment-identities.ts"
import { isHeavy, openBuckets, type Buckets, type Value } from "./buckets.ts"
import type { ClusterPlace } from "./cluster-place.ts"
import { openConnection, type ClusterConnection } from "./connection.ts"
import { foundAmong } from "./found.ts"
import { IN_FLIGHT, inFlight, numbers } from "./in-flight.ts"
import { BUCKET_BITS } from "./bucket-bits.ts"
import { layoutOf, type Layout } from "./layout.ts"
import { madeIndex, madeOrNewIndex } from "./making.ts"
import { openMeta, type Meta } from "./meta.ts"
import { countKnown, rowWriter, UnknownBatch } from "./row-writer.ts"

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
/** Entries whose buckets are under way at the same time: bounds what an import holds in memory. */
const CHUNK_ENTRIES = 8_192
/** Each time means that somebody changed the catalogue meanwhile. */
const CATALOGUE_CHANGES_MAX = 50

/**
 * Opens the index in a Redis or Valkey cluster. Throws NewerIndexFormat, or IndexUnavailable where
 * it cannot be read.
 *
 * A change that was acknowledged is in the memory of the node it belongs to; how much of a power
 * cut it survives is set there (`appendfsync always`: all). A change of one identity is all or
 * nothing. One of several identities that fails half way may have reached some of them; doing it
 * again completes it. What is read is of one moment for each identity, and so is the catalogue; the
 * two are read again until the catalogue did not change while they were.
 */
export async function openRedisIndex(options: RedisIndexOptions): Promise<MarkedIndex> {
  const { place, name, readOnly = false, timeoutMs = TIMEOUT_MS } = options
  const connection = await openConnection({ place, timeoutMs })
  try {
    const meta = openMeta(connection, name)
    const made = await named(
      readOnly || options.mayMake === false
        ? madeIndex(meta)
        : madeOrNewIndex(connection, meta, name, options.bucketBits ?? BUCKET_BITS.fallback),
    )
    const layout = layoutOf(name, made.bits)
    const buckets = openBuckets(connection, layout, made)
    const index = indexOf({ connection, meta, layout, buckets, readOnly })
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

function indexOf({ connection, meta, layout, buckets, readOnly }: Parts): ExposureIndex {
  const writer = rowWriter(layout, buckets)
  let held: CatalogueDocument = { ...emptyCatalogue, version: -1 }

  const currentDocument = async (): Promise<CatalogueDocument> => {
    if ((await meta.version()) !== held.version) held = await meta.document()
    return held
  }
  const requireWritable = (): void => {
    if (readOnly) throw new IndexUnavailable("The index is open for reading only")
  }
  /** Replaces the catalogue by what `change` makes of it, and returns what it makes. */
  const changing = async <T extends { readonly document: CatalogueDocument }>(
    change: (document: CatalogueDocument) => T,
  ): Promise<T> => {
    requireWritable()
    for (let attempt = 0; attempt < CATALOGUE_CHANGES_MAX; attempt++) {
      const before = await currentDocument()
      const changed = change(before)
      if (changed.document === before) return changed
      if (await meta.replace(before.version, changed.document)) return changed
    }
    throw new IndexUnavailable("The catalogue changes faster than it can be written")
  }
  const changed = (
    change: (document: CatalogueDocument) => CatalogueDocument,
  ): Promise<Catalogue> =>
    named(changing((before) => ({ document: change(before) })).then(({ document }) => document))

  /**
   * The entries and the catalogue they are to be read by. Both are asked for at once; where the
   * catalogue is no longer the one held, or an entry names a batch it does not know yet, both are
   * asked for again.
   */
  const foundFor = async (
    key: Uint8Array,
    tenantsOf: (document: CatalogueDocument) => readonly number[],
  ): Promise<Found> => {
    const bucket = layout.bucketOf(key)
    const shared = layout.sharedField(key)
    for (let attempt = 0; attempt < CATALOGUE_CHANGES_MAX; attempt++) {
      const document = held
      const tenantIds = tenantsOf(document)
      const fields = [shared, ...tenantIds.map((id) => layout.tenantField(id, key))]
      const [version, stored] = await Promise.all([meta.version(), buckets.read(bucket, fields)])
      if (version === document.version) {
        const found = foundAmong(stored, tenantIds, document)
        if (found !== null) return found
      }
      held = await meta.document()
      if (held.version === document.version) throw new MalformedBytes("entry of an unknown batch")
    }
    throw new IndexUnavailable("The catalogue changes faster than it can be read")
  }

  /**
   * Writes rows; where they meet entries of a batch opened meanwhile, once more by the catalogue
   * that knows it.
   */
  const putting: typeof writer.put = async (rows, owner, document, join, countOf) => {
    for (let known = document; ;) {
      try {
        return await writer.put(rows, owner, known, join, countOf)
      } catch (error) {
        if (!(error instanceof UnknownBatch)) throw error
        held = await meta.document()
        if (held.version === known.version) throw error
        known = held
      }
    }
  }

  const addingEvidence = async (
    owner: Owner,
    rows: readonly Row[],
    join: typeof mergedEntrySet,
  ): Promise<void> => {
    if (owner !== "shared") requireTenantId(owner)
    requireWritable()
    const document = await named(currentDocument())
    for (const row of rows) requireRow(row, (batchId) => isOwnLive(document, owner, batchId))
    requireSpellable(rows)
    await named(putting(rows, owner, document, join))
  }

  return {
    async lookup(key, tenantId) {
      requireKey(key)
      const none: readonly number[] = []
      const own = tenantId === null ? none : [tenantId]
      return await named(
        foundFor(key, ({ tenants }) => (tenantId !== null && tenants.has(tenantId) ? own : none)),
      )
    },

    async holdings(key) {
      requireKey(key)
      return await named(foundFor(key, ({ tenants }) => [...tenants]))
    },

    catalogue: () => named(currentDocument()),

    async openBatch(description, fingerprint, at, owner) {
      if (owner !== undefined) requireTenantId(owner)
      const { batch } = await named(
        changing((before) => withBatch(before, description, fingerprint, at, owner ?? "shared")),
      )
      return batch
    },

    async merge(batchId, rows) {
      requireLoading(await named(currentDocument()), batchId)
      requireWritable()
      let count = 0
      for await (const chunk of chunks(rows)) {
        for (const row of chunk) requireRow(row, (entryBatch) => entryBatch === batchId)
        const document = await named(currentDocument())
        const { owner } = requireLoading(document, batchId)
        await named(putting(chunk, owner, document, mergedEntrySet))
        count += chunk.length
      }
      return count
    },

    async mergeSegment(batchId, blocks, onBlock) {
      const { owner, sourceId } = requireLoading(await named(currentDocument()), batchId)
      requireWritable()
      if (owner !== "shared") throw new BatchRefused(`Batch ${batchId} is a tenant's`)
      const merged = { rows: 0, identities: 0, known: 0 }
      for await (const identities of identitiesOf(blocks, batchId, CHUNK_ENTRIES)) {
        const document = await named(currentDocument())
        requireLoading(document, batchId)
        merged.known += await named(
          putting(identities, "shared", document, mergedEntrySet, (stored, { entries }) =>
            countKnown(stored, entries.flat(), document, sourceId),
          ),
        )
        const rows = identities.reduce((sum, { entries }) => sum + entries.length, 0)
        merged.identities += identities.length
        merged.rows += rows
        onBlock?.(rows)
      }
      return merged
    },

    goLive: (batchId, going, at) => changed((document) => withLive(document, batchId, going, at)),

    changeSource: (sourceId, change) =>
      changed((document) => withSource(document, sourceId, change)),

    async changeSources(changes, version) {
      requireWritable()
      return await named(
        (async () => {
          const before = await currentDocument()
          if (before.version !== version) return null
          const after = withSources(before, changes)
          return after === before || (await meta.replace(version, after)) ? after : null
        })(),
      )
    },

    removeSource: (sourceId, at) => changed((document) => withoutSource(document, sourceId, at)),

    removeBatch: (batchId, at) => changed((document) => withoutBatch(document, batchId, at)),

    async erase(key, tenantId) {
      requireKey(key)
      if (tenantId !== undefined) requireTenantId(tenantId)
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
            // A tenant that was new meanwhile may have written before the tombstone stood; after
            // it, nobody does.
          } while ((await currentDocument()).tenants.size !== document.tenants.size)
        })(),
      )
    },

    async replaceTenantEvidence(tenantId, batchId, rows) {
      requireTenantId(tenantId)
      for (const row of rows) requireRow(row, (entryBatch) => entryBatch === batchId)
      requireWritable()
      const document = await named(currentDocument())
      requireOwnLive(document, tenantId, batchId)
      requireSpellable(rows)
      await named(
        putting(rows, tenantId, document, (stored, entries, max, stateOf) =>
          replacedEntrySet(stored, batchId, entries, max, stateOf),
        ),
      )
    },

    addFirstTenantEvidence: (tenantId, rows) => addingEvidence(tenantId, rows, firstEntrySet),

    addTenantEvidence: (tenantId, rows) => addingEvidence(tenantId, rows, mergedEntrySet),

    addSharedEvidence: (rows) => addingEvidence("shared", rows, mergedEntrySet),

    checkKeyCheckValue: (value) => named(meta.checkKeyCheckValue(value, !readOnly)),

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
          if (!(await isReadable(bucket, field, value))) faults += 1
        }
      }
      const isReadable = async (
        bucket: number,
        field: Buffer,
        value: Buffer | null,
      ): Promise<boolean> => {
        if (value === null) return false
        const [whole] = isHeavy(value) ? await buckets.read(bucket, [field]) : [value]
        return isTombstone(whole) || isEntrySet(whole)
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

/** Throws RangeError for entries that have no stored form, before anything is written. */
function requireSpellable(rows: readonly Row[]): void {
  for (const { entries } of rows) for (const entry of entries) entryBytes(entry)
}

function isEntrySet(value: Value): boolean {
  try {
    readEntrySet(value)
    return true
  } catch (error) {
    if (error instanceof MalformedBytes) return false
    throw error
  }
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

async function* chunks(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let chunk: Row[] = []
  let size = 0
  for await (const row of rows) {
    chunk.push(row)
    size += Math.max(1, row.entries.length)
    if (size < CHUNK_ENTRIES) continue
    yield chunk
    chunk = []
    size = 0
  }
  if (chunk.length > 0) yield chunk
}

/** What `work` comes to; whatever goes wrong in the store comes out as IndexUnavailable. */
async function named<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    // These say what is wrong by themselves, two of them about what the caller handed in.
    if (error instanceof IndexUnavailable) throw error
    if (error instanceof BatchRefused || error instanceof RangeError) throw error
    throw new IndexUnavailable("The index cannot be read or written", { cause: error })
  }
}
