import { chmod, mkdir, stat } from "node:fs/promises"
import { join } from "node:path"
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
  type Batch,
  type Catalogue,
  type CatalogueDocument,
  type Owner,
} from "../catalogue.ts"
import {
  firstEntrySet,
  isTombstone,
  mergedEntrySet,
  readEntrySet,
  replacedEntrySet,
  SHARED_ENTRIES_MAX,
  TENANT_ENTRIES_MAX,
  TOMBSTONE,
  visibleEntries,
} from "../entry-set.ts"
import { EMPTY_SET_BYTES } from "../entry-spans.ts"
import {
  IndexUnavailable,
  KEY_BYTES,
  requireSameKeys,
  type ExposureIndex,
  type Found,
  type FoundEntry,
  type Row,
} from "../exposure-index.ts"
import {
  isOwnLive,
  requireKey,
  requireLoading,
  requireOwnLive,
  requireRow,
  requireTenantId,
} from "../index-arguments.ts"
import { SegmentMerger } from "../segment-merger.ts"
import { portionsOf } from "../segment-portions.ts"
import type { Changes } from "./changes.ts"
import { openConnection } from "./connection.ts"
import type { CheckedDatabase, ReadAt } from "./checked-database.ts"
import { LMDB_MAP_BYTES, type Environment } from "./environment.ts"
import { FORMAT, putFormat, readFormat, requireKnownFormat } from "./format.ts"
import { noteErasure } from "./history.ts"
import { tidyGenerations } from "./replace-generation.ts"
import { mergePortion } from "./merge-segment.ts"
import { KEY_CHECK, putDocument, readDocument } from "./stored.ts"
import { tenantKey } from "./tenant-key.ts"

export interface LmdbIndexOptions {
  /** A directory of the index's own; created unless `readOnly`. */
  readonly path: string
  /** For processes that only look up. */
  readonly readOnly?: boolean
  /** Address space set aside, not disk: the file grows as it fills. */
  readonly mapSize?: number
  readonly now?: () => number
}

/**
 * Entries written in one transaction: enough to spread the cost of its sync, few enough not to hold
 * up a server.
 */
const CHUNK_ENTRIES = 8_192
/**
 * Rows of a segment in one transaction. A server's own write waits for it: about 0.1 s where the
 * disk does not.
 */
const PORTION_ROWS = 32_768
const READER_CHECK_MS = 60_000

/**
 * Opens the index in a directory. Throws NewerIndexFormat, or IndexUnavailable where it cannot be
 * read.
 */
export async function openLmdbIndex(options: LmdbIndexOptions): Promise<ExposureIndex> {
  const { path, readOnly = false, mapSize = LMDB_MAP_BYTES, now = Date.now } = options
  const connection = openConnection(path, readOnly, mapSize)
  const { reading, writing, document: currentDocument, documentToChange } = connection

  const changing = (
    change: (document: CatalogueDocument) => CatalogueDocument,
  ): Promise<Catalogue> =>
    writing((_, on) => {
      const before = documentToChange(on)
      const after = change(before)
      if (after !== before) putDocument(on.meta, after)
      return after
    })

  const found = (
    database: CheckedDatabase,
    key: Uint8Array,
    at: ReadAt,
    owner: Owner,
    { batches }: Catalogue,
  ): { entries: FoundEntry[]; cut: number; erased: boolean } => {
    const stored = database.found(key, at)
    if (isTombstone(stored)) return { entries: [], cut: 0, erased: true }
    const set = readEntrySet(stored)
    const max = owner === "shared" ? SHARED_ENTRIES_MAX : TENANT_ENTRIES_MAX
    const { entries, cut } = visibleEntries(set, max, (batchId) => {
      const batch = batches.get(batchId)
      if (batch === undefined) throw new MalformedBytes("entry of an unknown batch")
      return batch.state === "live" && batch.owner === owner
    })
    return { entries: entries.map((entry) => ({ ...entry, owner })), cut, erased: false }
  }

  const foundFor = (
    key: Uint8Array,
    at: ReadAt,
    document: CatalogueDocument,
    tenantIds: Iterable<number>,
    { shared, tenants }: Environment,
  ): Found => {
    const everyones = found(shared, key, at, "shared", document)
    if (everyones.erased) return { ...everyones, catalogue: document }
    const entries = everyones.entries
    let cut = everyones.cut
    for (const tenantId of tenantIds) {
      const own = found(tenants, tenantKey(tenantId, key), at, tenantId, document)
      entries.push(...own.entries)
      cut += own.cut
    }
    return { entries, cut, erased: false, catalogue: document }
  }

  /**
   * Inside a write transaction. `join` makes what is stored under a row's key of what was and the
   * row's entries.
   */
  const putRows = (
    rows: readonly Row[],
    owner: Owner,
    document: CatalogueDocument,
    join: typeof mergedEntrySet,
    changes: Changes,
    { shared, tenants }: Environment,
  ): void => {
    const database = owner === "shared" ? shared : tenants
    const max = owner === "shared" ? SHARED_ENTRIES_MAX : TENANT_ENTRIES_MAX
    const stateOf = (batchId: number): Batch["state"] => {
      const batch = document.batches.get(batchId)
      if (batch === undefined) throw new MalformedBytes("entry of an unknown batch")
      return batch.state
    }
    let last = database.lastKey()
    for (const row of rows) {
      const key = owner === "shared" ? row.key : tenantKey(owner, row.key)
      // Rows that come in order go to the end of the tree, where pages fill up instead of splitting
      // in halves.
      const append = last === undefined || Buffer.compare(key, last) > 0
      const stored = append ? undefined : database.copied(key)
      if (isTombstone(owner === "shared" ? stored : shared.copied(row.key))) continue
      const joined = join(stored, row.entries, max, stateOf)
      if (joined.length === EMPTY_SET_BYTES) {
        if (stored !== undefined) changes.remove(database, key)
      } else if (stored === undefined || Buffer.compare(stored, joined) !== 0) {
        changes.put(database, key, joined, append)
        if (append) last = key
      }
    }
  }

  const addingEvidence = async (
    owner: Owner,
    rows: readonly Row[],
    join: typeof mergedEntrySet,
  ): Promise<void> => {
    if (owner !== "shared") requireTenantId(owner)
    await writing((changes, on) => {
      const document = documentToChange(on)
      for (const row of rows) requireRow(row, (batchId) => isOwnLive(document, owner, batchId))
      putRows(rows, owner, document, join, changes, on)
    })
  }

  const index: ExposureIndex = {
    async lookup(key, tenantId) {
      requireKey(key)
      return reading((at, on) => {
        const document = currentDocument(at, on)
        const own = tenantId !== null && document.tenants.has(tenantId) ? [tenantId] : []
        return foundFor(key, at, document, own, on)
      })
    },

    async holdings(key) {
      requireKey(key)
      return reading((at, on) => {
        const document = currentDocument(at, on)
        return foundFor(key, at, document, document.tenants, on)
      })
    },

    catalogue: async () => reading(currentDocument),

    async openBatch(description, fingerprint, at, tenantId) {
      if (tenantId !== undefined) requireTenantId(tenantId)
      const owner = tenantId ?? "shared"
      return writing((_, on) => {
        const before = documentToChange(on)
        const { document, batch } = withBatch(before, description, fingerprint, at, owner)
        if (document !== before) putDocument(on.meta, document)
        return batch
      })
    },

    async merge(batchId, rows) {
      requireLoading(reading(currentDocument), batchId)
      let count = 0
      for await (const chunk of chunks(rows)) {
        for (const row of chunk) requireRow(row, (entryBatch) => entryBatch === batchId)
        await writing((changes, on) => {
          const document = documentToChange(on)
          const { owner } = requireLoading(document, batchId)
          putRows(chunk, owner, document, mergedEntrySet, changes, on)
        })
        count += chunk.length
      }
      return count
    },

    async mergeSegment(batchId, blocks, onBlock) {
      const { owner } = requireLoading(reading(currentDocument), batchId)
      if (owner !== "shared") throw new BatchRefused(`Batch ${batchId} is a tenant's`)
      const merger = new SegmentMerger(batchId, SHARED_ENTRIES_MAX)
      const merged = { rows: 0, identities: 0, known: 0 }
      for await (const portion of portionsOf(blocks, PORTION_ROWS)) {
        const { rows, identities, known } = await writing((changes, on) => {
          const document = documentToChange(on)
          requireLoading(document, batchId)
          return mergePortion(on.shared, changes, merger, portion, document)
        })
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
      return writing((_, on) => {
        const before = documentToChange(on)
        if (before.version !== version) return null
        const after = withSources(before, changes)
        if (after !== before) putDocument(on.meta, after)
        return after
      })
    },

    async erase(key, tenantId) {
      requireKey(key)
      if (tenantId !== undefined) requireTenantId(tenantId)
      await writing((changes, on) => {
        const ids = tenantId === undefined ? documentToChange(on).tenants : [tenantId]
        for (const id of ids) changes.remove(on.tenants, tenantKey(id, key))
        if (tenantId === undefined) changes.put(on.shared, key, TOMBSTONE)
        noteErasure(on.meta, now())
      })
    },

    removeBatch: (batchId, at) => changing((document) => withoutBatch(document, batchId, at)),

    removeSource: (sourceId, at) => changing((document) => withoutSource(document, sourceId, at)),

    async replaceTenantEvidence(tenantId, batchId, rows) {
      requireTenantId(tenantId)
      for (const row of rows) requireRow(row, (entryBatch) => entryBatch === batchId)
      const join: typeof mergedEntrySet = (stored, entries, max, stateOf) =>
        replacedEntrySet(stored, batchId, entries, max, stateOf)
      await writing((changes, on) => {
        const document = documentToChange(on)
        requireOwnLive(document, tenantId, batchId)
        putRows(rows, tenantId, document, join, changes, on)
      })
    },

    addFirstTenantEvidence: (tenantId, rows) => addingEvidence(tenantId, rows, firstEntrySet),

    addTenantEvidence: (tenantId, rows) => addingEvidence(tenantId, rows, mergedEntrySet),

    addSharedEvidence: (rows) => addingEvidence("shared", rows, mergedEntrySet),

    async checkKeyCheckValue(value) {
      const isStored = (stored: Uint8Array | undefined): boolean => {
        if (stored !== undefined) requireSameKeys(stored, value)
        return stored !== undefined
      }
      const known = reading((at, on) => {
        currentDocument(at, on)
        return isStored(on.meta.copied(KEY_CHECK, at))
      })
      if (known) return
      await writing((_, { meta }) => {
        if (!isStored(meta.copied(KEY_CHECK))) meta.put(KEY_CHECK, Buffer.from(value))
      })
    },

    async copyTo(directory) {
      // Reading follows to the generation in use, if another took the place of the one that is
      // open.
      reading(currentDocument)
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 })
        await connection.current().root.backup(directory, false)
        await chmod(join(directory, "data.mdb"), 0o600)
      } catch (cause) {
        throw new IndexUnavailable("The index cannot be copied", { cause })
      }
      return true
    },

    async stats() {
      const counts = reading((at, on) => {
        currentDocument(at, on)
        return {
          identities: on.shared.count(),
          tenantIdentities: on.tenants.count(),
          format: readFormat(on, at),
        }
      })
      return { ...counts, bytes: (await stat(connection.current().dataFile)).size }
    },

    async sample(count) {
      return reading((at, on) => {
        const { shared, tenants } = on
        const tenantIds = [...currentDocument(at, on).tenants]
        const seen = new Set<string>()
        let faults = 0
        const probe = (database: CheckedDatabase, start: Uint8Array): void => {
          for (const { key, value, intact } of database.range({ start, limit: 1 }, at)) {
            const id = `${database === shared ? "s" : "t"}${Buffer.from(key).toString("hex")}`
            if (seen.has(id)) continue
            seen.add(id)
            if (!intact || !isReadable(value)) faults += 1
          }
        }
        for (let i = 0; i < count; i++) {
          // Keys are hashes, so equal steps through the key space are equal steps through the
          // identities.
          const key = keyAt(i, count)
          probe(shared, key)
          const tenantId = tenantIds[Math.floor((i * tenantIds.length) / count)]
          if (tenantId !== undefined) probe(tenants, tenantKey(tenantId, key))
        }
        return { read: seen.size, faults }
      })
    },

    async ping() {
      reading((at, on) => {
        requireKnownFormat(readFormat(on, at))
        readDocument(on.meta, null, at)
      })
    },

    async close() {
      clearInterval(readerCheck)
      await connection.close()
    },
  }

  const readerCheck = readOnly
    ? undefined
    : setInterval(() => {
        freeKilledReaders(connection.current().root)
      }, READER_CHECK_MS)
  readerCheck?.unref()

  try {
    if (!readOnly) {
      await writing((_, { meta, shared, tenants }) => {
        const format = meta.copied(FORMAT)?.[0]
        if (format === undefined) {
          if (shared.count() + tenants.count() + meta.count() > 0) {
            throw new MalformedBytes("entries without a format")
          }
          putDocument(meta, emptyCatalogue)
        }
        // Format 2 adds tombstones and generations; what format 1 holds reads the same.
        if (format === undefined || format === 1) putFormat(meta)
      })
    }
    await index.ping()
    if (!readOnly) await tidyGenerations(path, connection.current())
    return index
  } catch (error) {
    await index.close()
    throw error
  }
}

// A reader that was killed keeps its place in the lock file, and with it every page freed since.
// Where the lock file cannot be read, the next lookup fails as well, and there somebody is waiting
// for the answer.
function freeKilledReaders(root: Environment["root"]): void {
  try {
    root.readerCheck()
  } catch {
    return
  }
}

function isReadable(value: Uint8Array): boolean {
  if (isTombstone(value)) return true
  try {
    readEntrySet(value)
    return true
  } catch (error) {
    if (error instanceof MalformedBytes) return false
    throw error
  }
}

/** The key `part` of `parts` of the way through all possible keys. */
function keyAt(part: number, parts: number): Uint8Array {
  const place = (BigInt(part) << 128n) / BigInt(parts)
  return Buffer.from(place.toString(16).padStart(2 * KEY_BYTES, "0"), "hex")
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
