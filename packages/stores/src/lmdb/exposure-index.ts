import { chmod, mkdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { isTombstone, TOMBSTONE } from "../entry-set.ts"
import {
  type ExposureIndex,
  type Found,
  INDEX_FORMAT,
  IndexDamaged,
  IndexUnavailable,
  requireKnownFormat,
} from "../exposure-index.ts"
import { indexOver, requireLoading, type IndexStorage } from "../index-storage.ts"
import { addFound, tenantsAsked, type Finding } from "../stored-set.ts"
import { Buckets } from "./buckets.ts"
import type { ReadAt } from "./checked-database.ts"
import { named, openConnection, type Connection } from "./connection.ts"
import { LMDB_MAP_BYTES, tenantKey, type Environment } from "./environment.ts"
import { sampled } from "./examine.ts"
import { prepareFormat, readFormat } from "./format.ts"
import { noteErasure } from "./history.ts"
import { mergeBlocks, putRows } from "./put-rows.ts"
import { tidyGenerations } from "./replace-generation.ts"
import { KEY_CHECK, putDocument, readDocument, type StoredDocument } from "./stored.ts"

export interface LmdbIndexOptions {
  /** A directory of the index's own; created unless `readOnly`. */
  readonly path: string
  /** For processes that only look up. */
  readonly readOnly?: boolean
  /** Address space set aside, not disk: the file grows as it fills. */
  readonly mapSize?: number
  readonly now?: () => number
}

const READER_CHECK_MS = 60_000

/** Opens the index in a directory. Throws IndexUnavailable if it cannot be read. */
export async function openLmdbIndex(options: LmdbIndexOptions): Promise<ExposureIndex> {
  const { path, readOnly = false, mapSize = LMDB_MAP_BYTES, now = Date.now } = options
  const connection = openConnection(path, readOnly, mapSize)
  const storage = storageOn(connection, now)
  const readerCheck = readOnly
    ? undefined
    : setInterval(() => {
        freeKilledReaders(connection.current().root)
      }, READER_CHECK_MS)
  readerCheck?.unref()
  const index = indexOver({
    ...storage,
    async close() {
      clearInterval(readerCheck)
      await connection.close()
    },
  })
  try {
    if (!readOnly) await connection.writing((_, on) => prepareFormat(on))
    await index.ping()
    if (!readOnly) await tidyGenerations(path, connection.current())
    return index
  } catch (error) {
    await index.close()
    throw error
  }
}

function storageOn(connection: Connection, now: () => number): Omit<IndexStorage, "close"> {
  const { reading, readingInTurn, writing, documentToChange } = connection
  const { document: currentDocument } = connection
  const lookedUp = (key: Uint8Array, tenants: number | "all" | null): Found | null => {
    try {
      const newest = connection.newest()
      return newest && foundAt(key, tenants, newest.at, newest.on, newest.document)
    } catch (error) {
      throw named(error)
    }
  }
  return {
    found: (key, tenants) =>
      lookedUp(key, tenants) ??
      reading((at, on) => foundAt(key, tenants, at, on, currentDocument(at, on))),

    foundInTurn: (key, tenants) =>
      lookedUp(key, tenants) ??
      readingInTurn((at, on, document) => foundAt(key, tenants, at, on, document)),

    document: () => reading(currentDocument),

    changeDocument: (change) =>
      writing((_, on) => {
        const before = documentToChange(on)
        const changed = change(before)
        if (changed.document !== before) putDocument(on.meta, changed.document)
        return changed
      }),

    put: (rows, join, ownerIn) =>
      writing((changes, on) => {
        const document = documentToChange(on)
        putRows(rows, ownerIn(document), join, document, changes, on)
      }),

    async *mergeSegment(batchId, blocks) {
      yield* mergeBlocks(batchId, blocks, (work) =>
        writing((changes, on) => {
          const document = documentToChange(on)
          requireLoading(document, batchId)
          return work(changes, on, document)
        }),
      )
    },

    erase: (key, tenantId) =>
      writing((changes, on) => {
        const ids = tenantId === undefined ? documentToChange(on).tenants : [tenantId]
        for (const id of ids) changes.remove(on.tenants, tenantKey(id, key))
        if (tenantId === undefined) changes.put(on.shared, key, TOMBSTONE)
        noteErasure(on.meta, now())
      }),

    keyCheck: () =>
      reading((at, on) => {
        currentDocument(at, on)
        return on.meta.copied(KEY_CHECK, at)
      }),

    keepKeyCheck: (value) =>
      writing((_, { meta }) => {
        const stored = meta.copied(KEY_CHECK)
        if (stored === undefined) meta.put(KEY_CHECK, value)
        return stored ?? value
      }),

    async copyTo(directory) {
      // Reading follows to the generation in use, if another took the place of the open one.
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
        on.root.resetReadTxn()
        return {
          identities: on.shared instanceof Buckets ? on.shared.count(at) : on.shared.count(),
          tenantIdentities: on.tenants.count(),
          format: readFormat(on, at),
        }
      })
      return { ...counts, bytes: (await stat(connection.current().dataFile)).size }
    },

    sample: async (count) =>
      reading((at, on) => sampled(count, currentDocument(at, on).tenants, on, at)),

    async ping() {
      reading((at, on) => {
        requireKnownFormat(readFormat(on, at), INDEX_FORMAT)
        readDocument(on.meta, null, at)
      })
    },
  }
}

function foundAt(
  key: Uint8Array,
  tenants: number | "all" | null,
  at: ReadAt,
  on: Environment,
  document: StoredDocument,
): Found {
  const shared = foundShared(key, at, on, document)
  const erased = isTombstone(shared)
  const found: Finding = { entries: [], cut: 0, erased, catalogue: document }
  if (erased) return found
  addFound(found, shared, "shared")
  if (tenants === null) return found
  for (const tenantId of tenantsAsked(document, tenants)) {
    addFound(found, on.tenants.found(tenantKey(tenantId, key), at), tenantId)
  }
  return found
}

function foundShared(
  key: Uint8Array,
  at: ReadAt,
  { shared }: Environment,
  { layout }: StoredDocument,
): Uint8Array | undefined {
  if (!(shared instanceof Buckets)) return shared.found(key, at)
  if (layout === null) throw new IndexDamaged("The index does not say where its buckets are")
  return shared.found(key, at, layout)
}

// A reader that was killed keeps its place in the lock file, and with it every page freed since.
// Where the lock file cannot be read, the next lookup fails too and reports it to its caller.
function freeKilledReaders(root: Environment["root"]): void {
  try {
    root.readerCheck()
  } catch {
    return
  }
}
