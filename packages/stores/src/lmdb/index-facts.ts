import { statSync } from "node:fs"
import { entriesStart, isTombstone } from "../entry-set.ts"
import { readSpan, span } from "../entry-spans.ts"
import { kindAt, type EntryKind } from "../entry.ts"
import {
  INDEX_FORMAT,
  IndexDamaged,
  requireKnownFormat,
  type Catalogue,
} from "../exposure-index.ts"
import { LMDB_MAP_BYTES } from "./environment.ts"
import { readFormat } from "./format.ts"
import { openCurrent, type OpenGeneration } from "./generations.ts"
import { type Compaction, type Erasures, readCompaction, readErasures } from "./history.ts"
import { chunksOf, readingAll } from "./scan.ts"
import { readDocument } from "./stored.ts"

/** The facts about an index that need no full read. */
export interface IndexFacts {
  readonly generation: number
  readonly format: number
  readonly bytes: number
  readonly identities: number
  readonly tenantIdentities: number
  readonly catalogue: Catalogue
  readonly compaction: Compaction | null
  readonly erasures: Erasures | null
}

export function readIndexFacts(path: string): Promise<IndexFacts> {
  return withGeneration(path, (on) =>
    readingAll(on, async ({ at, counts }) => ({
      generation: on.generation,
      format: readFormat(on, at),
      bytes: statSync(on.dataFile).size,
      identities: counts.shared,
      tenantIdentities: counts.tenants,
      catalogue: readDocument(on.meta, null, at),
      compaction: readCompaction(on.meta),
      erasures: readErasures(on.meta),
    })),
  )
}

export interface EntryCounts {
  /** Entries of live batches, by kind. */
  readonly kinds: ReadonlyMap<EntryKind, number>
  readonly erased: number
}

/** Reads all shared sets and counts their entries. */
export function countEntries(
  path: string,
  onProgress: (done: number, total: number) => void,
): Promise<EntryCounts> {
  return withGeneration(path, (on) =>
    readingAll(on, async (snapshot) => {
      const { batches } = readDocument(on.meta, null, snapshot.at)
      const total = snapshot.counts.shared
      const kinds = new Map<EntryKind, number>()
      let erased = 0
      let done = 0
      for (const chunk of chunksOf(on, "shared", snapshot)) {
        for (const { value, intact } of chunk) {
          if (!intact) throw new IndexDamaged("A value of the index does not have its checksum")
          if (isTombstone(value)) erased++
          else countKinds(value, (batchId) => batches.get(batchId)?.state === "live", kinds)
        }
        done += chunk.length
        onProgress(done, total)
        await turn()
      }
      return { kinds, erased }
    }),
  )
}

/** Runs `use` on the generation in use, which stays open even if another takes its place. */
export async function withGeneration<T>(
  path: string,
  use: (on: OpenGeneration) => Promise<T>,
): Promise<T> {
  const on = openCurrent(path, true, LMDB_MAP_BYTES)
  try {
    requireKnownFormat(readFormat(on), INDEX_FORMAT)
    return await use(on)
  } finally {
    await on.close()
  }
}

/** Yields to the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function countKinds(
  set: Uint8Array,
  isLive: (batchId: number) => boolean,
  kinds: Map<EntryKind, number>,
): void {
  for (let at = entriesStart(set); at < set.length;) {
    const end = readSpan(set, at, set.length)
    const kind = end < 0 ? undefined : kindAt(set, at, span.extendedAt)
    if (kind === undefined) throw new IndexDamaged("A set of entries cannot be read")
    if (isLive(span.batchId)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    at = end
  }
}
