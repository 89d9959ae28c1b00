import { stat } from "node:fs/promises"
import { Cursor, MalformedBytes } from "../bytes.ts"
import {
  BatchRefused,
  catalogueBytes,
  emptyCatalogue,
  knownBatch,
  readCatalogue,
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
import { entryBytes, type Entry } from "../entry.ts"
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
import {
  INDEX_FORMAT,
  IndexUnavailable,
  KEY_BYTES,
  NewerIndexFormat,
  WrongSecret,
  type ExposureIndex,
  type Found,
  type FoundEntry,
  type Row,
} from "../exposure-index.ts"
import { identitiesOf } from "../segment-identities.ts"
import { openEnvironment, type BinaryDatabase } from "./environment.ts"

export interface LmdbIndexOptions {
  /** A directory of the index's own; created unless `readOnly`. */
  readonly path: string
  /** For processes that only look up. Exactly one process at a time opens the index for writing. */
  readonly readOnly?: boolean
  /** Address space set aside, not disk: the file grows as it fills. */
  readonly mapSize?: number
}

const TEBIBYTE = 2 ** 40
/** Entries written in one transaction: enough to spread the cost of its sync, few enough not to hold up a server. */
const CHUNK_ENTRIES = 8_192
const READER_CHECK_MS = 60_000
const TENANT_ID_MAX = 0xffff_ffff

const FORMAT = Buffer.from("format")
const CATALOGUE = Buffer.from("catalogue")
const CATALOGUE_VERSION = Buffer.from("catalogue-version")
const KEY_CHECK = Buffer.from("key-check")
/** An entry set of nothing at all; not worth a key. */
const EMPTY_SET_BYTES = 1

/** Opens the index in a directory. Throws NewerIndexFormat, or IndexUnavailable where it cannot be read. */
export async function openLmdbIndex(options: LmdbIndexOptions): Promise<ExposureIndex> {
  const { path, readOnly = false, mapSize = TEBIBYTE } = options
  const environment = faultsNamed(() => openEnvironment(path, readOnly, mapSize))
  const { root, shared, tenants, meta, dataFile } = environment
  let closed = false
  // Comes from read transactions only: what a write transaction sees may still fail to commit.
  let held: CatalogueDocument = { ...emptyCatalogue, version: -1 }

  /** Runs `read` on the newest committed state, all of it on the same one. */
  const reading = <T>(read: (at: ReadAt) => T): T =>
    faultsNamed(() => {
      if (closed) throw new IndexUnavailable("The index is closed")
      // lmdb shares a snapshot among the reads of an event loop turn. Without the reset, a lookup could miss a batch
      // that another process made live a moment before it.
      root.resetReadTxn()
      const transaction = root.useReadTransaction()
      try {
        return read({ transaction })
      } finally {
        transaction.done()
      }
    })

  /** Runs `write` in a transaction of its own; resolves when it is on the disk, and a throw leaves nothing of it. */
  const writing = async <T>(write: () => T): Promise<T> => {
    if (closed) throw new IndexUnavailable("The index is closed")
    if (readOnly) throw new IndexUnavailable("The index is open for reading only")
    try {
      return await root.childTransaction(write)
    } catch (error) {
      // These two are about what the caller handed in, and say so.
      if (error instanceof BatchRefused || error instanceof RangeError) throw error
      throw named(await commitFault(error))
    }
  }

  const documentAt = (at?: ReadAt): CatalogueDocument => {
    const stored = lent(meta, CATALOGUE_VERSION, at)
    if (stored === undefined) throw new MalformedBytes("no catalogue version")
    const version = new Cursor(stored).bigEndian(8)
    if (version === held.version) return held
    const bytes = lent(meta, CATALOGUE, at)
    if (bytes === undefined) throw new MalformedBytes("no catalogue")
    const document = readCatalogue(bytes.subarray(0, bytes.length))
    if (document.version !== version) throw new MalformedBytes("catalogue of another version")
    return document
  }
  const currentDocument = (at: ReadAt): CatalogueDocument => (held = documentAt(at))
  const putDocument = (document: CatalogueDocument): void => {
    const version = Buffer.alloc(8)
    version.writeBigUInt64BE(BigInt(document.version))
    put(meta, CATALOGUE, catalogueBytes(document))
    put(meta, CATALOGUE_VERSION, version)
  }
  const changing = (
    change: (document: CatalogueDocument) => CatalogueDocument,
  ): Promise<Catalogue> =>
    writing(() => {
      const before = documentAt()
      const after = change(before)
      if (after !== before) putDocument(after)
      return after
    })

  const found = (
    database: BinaryDatabase,
    key: Uint8Array,
    at: ReadAt,
    owner: Owner,
    { batches }: Catalogue,
  ): { entries: FoundEntry[]; cut: number; erased: boolean } => {
    const stored = lent(database, key, at)
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

  /** Inside a write transaction. `join` makes what is stored under a row's key of what was and the row's entries. */
  const putRows = (
    rows: readonly Row[],
    owner: Owner,
    document: CatalogueDocument,
    join: typeof mergedEntrySet,
  ): void => {
    const database = owner === "shared" ? shared : tenants
    const max = owner === "shared" ? SHARED_ENTRIES_MAX : TENANT_ENTRIES_MAX
    const stateOf = (batchId: number): Batch["state"] => {
      const batch = document.batches.get(batchId)
      if (batch === undefined) throw new MalformedBytes("entry of an unknown batch")
      return batch.state
    }
    let last: Uint8Array | undefined = [...database.getKeys({ reverse: true, limit: 1 })][0]
    for (const row of rows) {
      const key = owner === "shared" ? row.key : tenantKey(owner, row.key)
      // Rows that come in order go to the end of the tree, where pages fill up instead of splitting in halves.
      const append = last === undefined || Buffer.compare(key, last) > 0
      const stored = append ? undefined : database.getBinary(key)
      if (isTombstone(owner === "shared" ? stored : shared.getBinary(row.key))) continue
      const joined = join(stored, row.entries, max, stateOf)
      if (joined.length === EMPTY_SET_BYTES) {
        if (stored !== undefined) database.removeSync(key)
      } else if (stored === undefined || Buffer.compare(stored, joined) !== 0) {
        put(database, key, joined, append)
        if (append) last = key
      }
    }
  }

  const addingTenantEvidence = async (
    tenantId: number,
    rows: readonly Row[],
    join: typeof mergedEntrySet,
  ): Promise<void> => {
    requireTenantId(tenantId)
    await writing(() => {
      const document = documentAt()
      for (const row of rows) {
        requireRow(row, (batchId) => isOwnLive(document, tenantId, batchId))
      }
      putRows(rows, tenantId, document, join)
    })
  }

  /** Inside a write transaction: entries of the rows that another live batch of the same source has too. */
  const countKnown = (
    rows: readonly Row[],
    { batches }: CatalogueDocument,
    sourceId: number,
  ): number => {
    let known = 0
    for (const { key, entries } of rows) {
      const stored = shared.getBinary(key)
      if (stored === undefined || isTombstone(stored)) continue
      const held = new Set<string>()
      for (const entry of readEntrySet(stored).entries) {
        const batch = batches.get(entry.batchId)
        if (batch?.sourceId === sourceId && batch.state === "live") held.add(said(entry))
      }
      if (held.size > 0) known += entries.filter((entry) => held.has(said(entry))).length
    }
    return known
  }

  const index: ExposureIndex = {
    async lookup(key, tenantId) {
      requireKey(key)
      return reading((at) => {
        const document = currentDocument(at)
        const own = tenantId !== null && document.tenants.has(tenantId) ? [tenantId] : []
        return foundFor(key, at, document, own)
      })
    },

    async holdings(key) {
      requireKey(key)
      return reading((at) => {
        const document = currentDocument(at)
        return foundFor(key, at, document, document.tenants)
      })
    },

    catalogue: async () => reading(currentDocument),

    async openBatch(description, fingerprint, at, owner) {
      if (owner !== undefined) requireTenantId(owner)
      return writing(() => {
        const before = documentAt()
        const { document, batch } = withBatch(
          before,
          description,
          fingerprint,
          at,
          owner ?? "shared",
        )
        if (document !== before) putDocument(document)
        return batch
      })
    },

    async merge(batchId, rows) {
      requireLoading(reading(currentDocument), batchId)
      let count = 0
      for await (const chunk of chunks(rows)) {
        for (const row of chunk) requireRow(row, (entryBatch) => entryBatch === batchId)
        reading(currentDocument)
        await writing(() => {
          const document = documentAt()
          putRows(chunk, requireLoading(document, batchId).owner, document, mergedEntrySet)
        })
        count += chunk.length
      }
      return count
    },

    async mergeSegment(batchId, blocks, onBlock) {
      const { owner, sourceId } = requireLoading(reading(currentDocument), batchId)
      if (owner !== "shared") throw new BatchRefused(`Batch ${batchId} is a tenant's`)
      const merged = { rows: 0, identities: 0, known: 0 }
      for await (const identities of identitiesOf(blocks, batchId, CHUNK_ENTRIES)) {
        await writing(() => {
          const document = documentAt()
          requireLoading(document, batchId)
          const rows = identities.map(({ key, entries }) => ({ key, entries }))
          merged.known += countKnown(rows, document, sourceId)
          putRows(rows, "shared", document, mergedEntrySet)
        })
        const rows = identities.reduce((sum, { entries }) => sum + entries.length, 0)
        merged.identities += identities.length
        merged.rows += rows
        onBlock?.(rows)
      }
      return merged
    },

    goLive: (batchId, going, at) => changing((document) => withLive(document, batchId, going, at)),

    changeSource: (sourceId, change) =>
      changing((document) => withSource(document, sourceId, change)),

    async changeSources(changes, version) {
      return writing(() => {
        const before = documentAt()
        if (before.version !== version) return null
        const after = withSources(before, changes)
        if (after !== before) putDocument(after)
        return after
      })
    },

    async erase(key, tenantId) {
      requireKey(key)
      if (tenantId !== undefined) requireTenantId(tenantId)
      await writing(() => {
        const ids = tenantId === undefined ? documentAt().tenants : [tenantId]
        for (const id of ids) tenants.removeSync(tenantKey(id, key))
        if (tenantId === undefined) put(shared, key, TOMBSTONE)
      })
    },

    removeBatch: (batchId, at) => changing((document) => withoutBatch(document, batchId, at)),

    removeSource: (sourceId, at) => changing((document) => withoutSource(document, sourceId, at)),

    async replaceTenantEvidence(tenantId, batchId, rows) {
      requireTenantId(tenantId)
      for (const row of rows) requireRow(row, (entryBatch) => entryBatch === batchId)
      await writing(() => {
        const document = documentAt()
        requireOwnLive(document, tenantId, batchId)
        putRows(rows, tenantId, document, (stored, entries, max, stateOf) =>
          replacedEntrySet(stored, batchId, entries, max, stateOf),
        )
      })
    },

    addFirstTenantEvidence: (tenantId, rows) => addingTenantEvidence(tenantId, rows, firstEntrySet),

    addTenantEvidence: (tenantId, rows) => addingTenantEvidence(tenantId, rows, mergedEntrySet),

    async checkKeyCheckValue(value) {
      const wanted = Buffer.from(value)
      const isStored = (stored: Uint8Array | undefined): boolean => {
        if (stored !== undefined && Buffer.compare(stored, wanted) !== 0) throw new WrongSecret()
        return stored !== undefined
      }
      if (reading((at) => isStored(copied(meta, KEY_CHECK, at)))) return
      await writing(() => {
        if (!isStored(copied(meta, KEY_CHECK))) put(meta, KEY_CHECK, wanted)
      })
    },

    async stats() {
      const counts = reading((at) => ({
        identities: entryCount(shared),
        tenantIdentities: entryCount(tenants),
        format: readFormat(meta, at),
      }))
      return { ...counts, bytes: (await stat(dataFile)).size }
    },

    async sample(count) {
      return reading((at) => {
        const tenantIds = [...currentDocument(at).tenants]
        const seen = new Set<string>()
        let faults = 0
        const probe = (database: BinaryDatabase, start: Uint8Array): void => {
          for (const { key, value } of database.getRange({ start, limit: 1, ...at })) {
            const id = `${database === shared ? "s" : "t"}${Buffer.from(key).toString("hex")}`
            if (seen.has(id)) continue
            seen.add(id)
            if (!isReadable(value)) faults += 1
          }
        }
        for (let i = 0; i < count; i++) {
          // Keys are hashes, so equal steps through the key space are equal steps through the identities.
          const key = keyAt(i, count)
          probe(shared, key)
          const tenantId = tenantIds[Math.floor((i * tenantIds.length) / count)]
          if (tenantId !== undefined) probe(tenants, tenantKey(tenantId, key))
        }
        return { read: seen.size, faults }
      })
    },

    async ping() {
      reading((at) => {
        requireKnownFormat(readFormat(meta, at))
        const stored = lent(meta, CATALOGUE, at)
        if (stored === undefined) throw new MalformedBytes("no catalogue")
        readCatalogue(stored.subarray(0, stored.length))
      })
    },

    async close() {
      if (closed) return
      closed = true
      clearInterval(readerCheck)
      await root.close()
    },
  }

  const readerCheck = readOnly ? undefined : setInterval(freeKilledReaders, READER_CHECK_MS, root)
  readerCheck?.unref()

  try {
    if (!readOnly) {
      await writing(() => {
        if (meta.getBinary(FORMAT) !== undefined) return
        if (entryCount(shared) + entryCount(tenants) + entryCount(meta) > 0) {
          throw new MalformedBytes("entries without a format")
        }
        put(meta, FORMAT, Buffer.from([INDEX_FORMAT]))
        putDocument(emptyCatalogue)
      })
    }
    await index.ping()
    return index
  } catch (error) {
    await index.close()
    throw error
  }
}

// A reader that was killed keeps its place in the lock file, and with it every page freed since. Where the lock file
// cannot be read, the next lookup fails as well, and there somebody is waiting for the answer.
function freeKilledReaders(root: BinaryDatabase): void {
  try {
    root.readerCheck()
  } catch {
    return
  }
}

type Transaction = ReturnType<BinaryDatabase["useReadTransaction"]>
interface ReadAt {
  readonly transaction: Transaction
}

/** lmdb's own typings leave out that this method takes a transaction, as `get` does. */
type LendingDatabase = BinaryDatabase & {
  getBinaryFast(key: Uint8Array, at?: ReadAt): Uint8Array | undefined
  getBinary(key: Uint8Array, at?: ReadAt): Uint8Array | undefined
}

/** The stored bytes, good until the next read: their memory is used again. Only `length` bounds them. */
function lent(database: BinaryDatabase, key: Uint8Array, at?: ReadAt): Uint8Array | undefined {
  return (database as LendingDatabase).getBinaryFast(key, at)
}

function copied(database: BinaryDatabase, key: Uint8Array, at?: ReadAt): Uint8Array | undefined {
  return (database as LendingDatabase).getBinary(key, at)
}

/** Inside a write transaction, where the write happens at once and what it returns says nothing. */
function put(database: BinaryDatabase, key: Uint8Array, value: Uint8Array, append = false): void {
  ;(
    database.putSync as (key: Uint8Array, value: Uint8Array, options: { append: boolean }) => void
  ).call(database, key, value, { append })
}

function readFormat(meta: BinaryDatabase, at: ReadAt): number {
  const stored = lent(meta, FORMAT, at)
  if (stored === undefined) throw new MalformedBytes("no format")
  return new Cursor(stored).byte()
}

function requireKnownFormat(format: number): void {
  if (format > INDEX_FORMAT) {
    throw new NewerIndexFormat(
      `The index has format ${format}; this program knows formats up to ${INDEX_FORMAT}`,
    )
  }
  if (format < 1) throw new MalformedBytes("format 0")
}

function entryCount(database: BinaryDatabase): number {
  return (database.getStats() as { entryCount: number }).entryCount
}

/** What an entry says, whichever batch says it. */
function said(entry: Entry): string {
  return Buffer.from(entryBytes({ ...entry, batchId: 1 })).toString("latin1")
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

function requireLoading(catalogue: Catalogue, batchId: number): Batch {
  const batch = knownBatch(catalogue, batchId)
  if (batch.state !== "loading") throw new BatchRefused(`Batch ${batchId} is ${batch.state}`)
  return batch
}

function isOwnLive(catalogue: Catalogue, tenantId: number, batchId: number): boolean {
  const batch = catalogue.batches.get(batchId)
  return batch?.state === "live" && batch.owner === tenantId
}

function requireOwnLive(catalogue: Catalogue, tenantId: number, batchId: number): void {
  if (isOwnLive(catalogue, tenantId, batchId)) return
  throw new BatchRefused(`Batch ${batchId} is no live batch of the tenant's`)
}

function requireRow({ key, entries }: Row, isOpen: (batchId: number) => boolean): void {
  requireKey(key)
  for (const { batchId } of entries) {
    if (!isOpen(batchId)) throw new BatchRefused(`Batch ${batchId} does not take these entries`)
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

function tenantKey(tenantId: number, key: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(4 + KEY_BYTES)
  bytes.writeUInt32BE(tenantId)
  bytes.set(key, 4)
  return bytes
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

/** Returns what `work` returns; whatever goes wrong in the store comes out as IndexUnavailable. */
function faultsNamed<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw named(error)
  }
}

function named(error: unknown): IndexUnavailable {
  if (error instanceof IndexUnavailable) return error
  return new IndexUnavailable("The index cannot be read or written", { cause: error })
}

/** lmdb rejects a failed commit with an error that holds a promise of the reason, which nobody else would catch. */
async function commitFault(error: unknown): Promise<unknown> {
  const reason = (error as { commitError?: Promise<unknown> } | undefined)?.commitError
  if (reason === undefined) return error
  try {
    await reason
  } catch (cause) {
    return cause
  }
  return error
}
