import {
  BatchRefused,
  knownBatch,
  withBatch,
  withLive,
  withoutBatch,
  withoutSource,
  withSource,
  withSources,
  type Batch,
  type Catalogue,
  type CatalogueDocument,
  type Owner,
} from "./catalogue.ts"
import type { Entry } from "./entry.ts"
import { firstEntrySet, mergedEntrySet, replacedEntrySet } from "./entry-set.ts"
import {
  KEY_BYTES,
  requireSameKeys,
  type ExposureIndex,
  type Found,
  type MergedSegment,
  type Row,
} from "./exposure-index.ts"
import type { SegmentBlock } from "./segment-block.ts"
import { identitiesOf } from "./segment-identities.ts"
import { countKnown } from "./stored-set.ts"

/** Combines the stored set of an identity with a row's entries. */
export type Join = typeof mergedEntrySet

/**
 * The part of an index that an engine implements itself; `indexOver` makes an index of it. Any
 * failure in the engine is thrown as IndexUnavailable; errors of the functions passed to it pass
 * through.
 */
export interface IndexStorage extends Pick<
  ExposureIndex,
  "erase" | "copyTo" | "stats" | "sample" | "ping" | "close"
> {
  /**
   * The entries of live batches about an identity, with the catalogue of the same moment: shared
   * batches, and those of one tenant, of all, or (null) of none.
   */
  found(key: Uint8Array, tenants: number | "all" | null): Found | Promise<Found>
  /** As `found`, on a state that the look-ups of this turn of the event loop share. */
  foundInTurn?(key: Uint8Array, tenants: number | null): Found
  document(): CatalogueDocument | Promise<CatalogueDocument>
  /**
   * Replaces the catalogue by what `change` returns; the same document changes nothing. `change`
   * runs again where another process was faster.
   */
  changeDocument<T extends { readonly document: CatalogueDocument }>(
    change: (document: CatalogueDocument) => T,
  ): Promise<T>
  /**
   * Joins rows to the stored sets of their identities, for the owner that `ownerIn` names after it
   * has checked the catalogue. An erased subject stays erased.
   */
  put(
    rows: readonly Row[],
    join: Join,
    ownerIn: (document: CatalogueDocument) => Owner,
  ): Promise<unknown>
  /**
   * As `put` for one row, whose entries are asked for after its stored set was read, and again each
   * time the set changed before it was replaced. Without it, no other process writes.
   */
  putAsked?(
    key: Uint8Array,
    entriesNow: () => Promise<readonly Entry[]>,
    join: Join,
    ownerIn: (document: CatalogueDocument) => Owner,
  ): Promise<unknown>
  /** Puts the rows of a segment, portion by portion; `mergeByRows` does it by `put`. */
  mergeSegment(batchId: number, blocks: AsyncIterable<SegmentBlock>): AsyncIterable<MergedSegment>
  keyCheck(): Uint8Array | undefined | Promise<Uint8Array | undefined>
  /** Keeps the value unless there is one, and returns the one there is. */
  keepKeyCheck(value: Uint8Array): Promise<Uint8Array>
}

/**
 * Entries written in one transaction: enough to spread the cost of its sync, few enough not to hold
 * up a server.
 */
const CHUNK_ENTRIES = 8_192
const TENANT_ID_MAX = 0xffff_ffff

/** The index over an engine: checks arguments, changes the catalogue, and cuts rows into chunks. */
export function indexOver(storage: IndexStorage): ExposureIndex {
  const changing = async (
    change: (document: CatalogueDocument) => CatalogueDocument,
  ): Promise<Catalogue> =>
    (await storage.changeDocument((before) => ({ document: change(before) }))).document

  const addEvidence = async (owner: Owner, rows: readonly Row[], join: Join): Promise<void> => {
    if (owner !== "shared") requireTenantId(owner)
    await storage.put(rows, join, (document) => {
      requireRows(rows, (batchId) => isOwnLive(document, owner, batchId))
      return owner
    })
  }

  return {
    async lookup(key, tenantId) {
      requireKey(key)
      return storage.found(key, tenantId)
    },

    lookupInTurn(key, tenantId) {
      requireKey(key)
      return storage.foundInTurn?.(key, tenantId) ?? storage.found(key, tenantId)
    },

    async holdings(key) {
      requireKey(key)
      return storage.found(key, "all")
    },

    catalogue: async () => storage.document(),

    async openBatch(description, fingerprint, at, tenantId) {
      if (tenantId !== undefined) requireTenantId(tenantId)
      const owner = tenantId ?? "shared"
      const { batch } = await storage.changeDocument((before) =>
        withBatch(before, description, fingerprint, at, owner),
      )
      return batch
    },

    async merge(batchId, rows) {
      requireLoading(await storage.document(), batchId)
      const ownerIn = (document: CatalogueDocument): Owner =>
        requireLoading(document, batchId).owner
      let count = 0
      for await (const chunk of chunks(rows)) {
        requireRows(chunk, (entryBatch) => entryBatch === batchId)
        await storage.put(chunk, mergedEntrySet, ownerIn)
        count += chunk.length
      }
      return count
    },

    async mergeSegment(batchId, blocks, onBlock) {
      const { owner } = requireLoading(await storage.document(), batchId)
      if (owner !== "shared") throw new BatchRefused(`Batch ${batchId} is a tenant's`)
      const merged = { rows: 0, identities: 0, known: 0 }
      for await (const portion of storage.mergeSegment(batchId, blocks)) {
        const { rows, identities, known } = portion
        merged.rows += rows
        merged.identities += identities
        merged.known += known
        onBlock?.(rows)
      }
      return merged
    },

    goLive: (batchId, going, at) => changing((document) => withLive(document, batchId, going, at)),

    changeSource: (sourceId, change) =>
      changing((document) => withSource(document, sourceId, change)),

    async changeSources(changes, version) {
      const { document, stale } = await storage.changeDocument((before) =>
        before.version === version
          ? { document: withSources(before, changes), stale: false }
          : { document: before, stale: true },
      )
      return stale ? null : document
    },

    async erase(key, tenantId) {
      requireKey(key)
      if (tenantId !== undefined) requireTenantId(tenantId)
      await storage.erase(key, tenantId)
    },

    removeBatch: (batchId, at) => changing((document) => withoutBatch(document, batchId, at)),

    removeSource: (sourceId, at) => changing((document) => withoutSource(document, sourceId, at)),

    async replaceTenantEvidence(tenantId, batchId, rows) {
      requireTenantId(tenantId)
      requireRows(rows, (entryBatch) => entryBatch === batchId)
      await storage.put(rows, replacing(batchId), ownLive(tenantId, batchId))
    },

    async restateTenantEvidence(tenantId, batchId, key, entriesNow) {
      requireTenantId(tenantId)
      requireKey(key)
      const checked = async (): Promise<readonly Entry[]> => {
        const entries = await entriesNow()
        requireRows([{ key, entries }], (entryBatch) => entryBatch === batchId)
        return entries
      }
      const [join, ownerIn] = [replacing(batchId), ownLive(tenantId, batchId)]
      if (storage.putAsked === undefined)
        await storage.put([{ key, entries: await checked() }], join, ownerIn)
      else await storage.putAsked(key, checked, join, ownerIn)
    },

    addFirstTenantEvidence: (tenantId, rows) => addEvidence(tenantId, rows, firstEntrySet),

    addTenantEvidence: (tenantId, rows) => addEvidence(tenantId, rows, mergedEntrySet),

    addSharedEvidence: (rows) => addEvidence("shared", rows, mergedEntrySet),

    async checkKeyCheckValue(value) {
      const stored = (await storage.keyCheck()) ?? (await storage.keepKeyCheck(Buffer.from(value)))
      requireSameKeys(stored, value)
    },

    copyTo: (directory) => storage.copyTo(directory),
    stats: () => storage.stats(),
    sample: (count) => storage.sample(count),
    ping: () => storage.ping(),
    close: () => storage.close(),
  }
}

/** Replaces the entries of one batch. */
function replacing(batchId: number): Join {
  return (stored, entries, max, stateOf) => replacedEntrySet(stored, batchId, entries, max, stateOf)
}

function ownLive(tenantId: number, batchId: number): (document: CatalogueDocument) => Owner {
  return (document) => {
    if (isOwnLive(document, tenantId, batchId)) return tenantId
    throw new BatchRefused(`Batch ${batchId} is no live batch of the tenant's`)
  }
}

/** A `put` that returns the sum of `countIn` over the sets stored before. */
export type CountingPut = (
  ...args: [...Parameters<IndexStorage["put"]>, countIn?: CountIn]
) => Promise<number>
export type CountIn = (
  stored: Uint8Array | undefined,
  entries: readonly Entry[],
  document: CatalogueDocument,
) => number

/** Merges a segment for an engine that has no faster way than to put its rows. */
export async function* mergeByRows(
  put: CountingPut,
  batchId: number,
  blocks: AsyncIterable<SegmentBlock>,
): AsyncGenerator<MergedSegment> {
  const ownerIn = (document: CatalogueDocument): Owner => requireLoading(document, batchId).owner
  for await (const identities of identitiesOf(blocks, batchId, CHUNK_ENTRIES)) {
    const known = await put(identities, mergedEntrySet, ownerIn, (stored, entries, document) =>
      countKnown(stored, entries, document, batchId),
    )
    const rows = identities.reduce((sum, { entries }) => sum + entries.length, 0)
    yield { rows, identities: identities.length, known }
  }
}

function requireKey(key: Uint8Array): void {
  if (key.length !== KEY_BYTES) throw new RangeError(`an identity key has ${KEY_BYTES} bytes`)
}

function requireTenantId(tenantId: number): void {
  if (!Number.isInteger(tenantId) || tenantId < 0 || tenantId > TENANT_ID_MAX) {
    throw new RangeError(`a tenant id is an integer from 0 to ${TENANT_ID_MAX}`)
  }
}

/** All entries of the rows must name batches that take them. */
function requireRows(rows: readonly Row[], isOpen: (batchId: number) => boolean): void {
  for (const { key, entries } of rows) {
    requireKey(key)
    for (const { batchId } of entries) {
      if (!isOpen(batchId)) throw new BatchRefused(`Batch ${batchId} does not take these entries`)
    }
  }
}

/** The batch, which must be loading. */
export function requireLoading(catalogue: Catalogue, batchId: number): Batch {
  const batch = knownBatch(catalogue, batchId)
  if (batch.state !== "loading") throw new BatchRefused(`Batch ${batchId} is ${batch.state}`)
  return batch
}

/** Whether the batch is live and belongs to this owner: a tenant, or everybody. */
function isOwnLive(catalogue: Catalogue, owner: Owner, batchId: number): boolean {
  const batch = catalogue.batches.get(batchId)
  return batch?.state === "live" && batch.owner === owner
}

async function* chunks(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let chunk: Row[] = []
  let size = 0
  const isFull = (row: Row): boolean => {
    chunk.push(row)
    size += Math.max(1, row.entries.length)
    return size >= CHUNK_ENTRIES
  }
  const emptied = (): Row[] => {
    const full = chunk
    chunk = []
    size = 0
    return full
  }
  // Awaiting each row of a plain iterable would cost more than merging it.
  if (Symbol.asyncIterator in rows) {
    for await (const row of rows) if (isFull(row)) yield emptied()
  } else {
    for (const row of rows) if (isFull(row)) yield emptied()
  }
  if (chunk.length > 0) yield chunk
}
