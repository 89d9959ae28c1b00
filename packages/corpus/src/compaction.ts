import { INDEX_FORMAT } from "@assay/stores/exposure-index"
import { compactLmdbIndex } from "@assay/stores/lmdb/compact"
import { type IndexFacts, readIndexFacts } from "@assay/stores/lmdb/index-facts"
import type { Replaced } from "@assay/stores/lmdb/replace-generation"
import { DAY_MS } from "@assay/runtime/time"

export type CompactionReason = "format" | "size" | "removed" | "erasure"

/**
 * What an identity with one exposure takes is 32 bytes in full pages, and up to 80 after many
 * imports of a few identities between the old ones.
 */
const BYTES_PER_KEY_MAX = 53
/**
 * Identities with many exposures always take more, so the bytes per key of the last compaction are
 * the measure of full pages here.
 */
const GROWTH_MAX = 1.3
const REMOVED_SHARE_MAX = 0.1
const ERASURE_DAYS_MAX = 7
/** Below these, there is nothing to be gained that anybody would notice. */
const KEYS_MIN = 100_000
const REMOVED_ROWS_MIN = 10_000

/** Why the index should be compacted now, or null if it need not be. */
export function compactionReason(facts: IndexFacts, nowMs: number): CompactionReason | null {
  const { erasures, compaction, bytes } = facts
  // Only a copy of an older index has checksums, and buckets.
  if (facts.format < INDEX_FORMAT) return "format"
  // One that is dated weeks ahead is from before the clock was set back, and of unknown age.
  const erasedMs = erasures === null ? 0 : Math.abs(nowMs - erasures.firstAt)
  if (erasedMs >= ERASURE_DAYS_MAX * DAY_MS) return "erasure"
  const { removed, all } = rowsOf(facts)
  if (removed >= REMOVED_ROWS_MIN && removed > all * REMOVED_SHARE_MAX) return "removed"
  const keys = facts.identities + facts.tenantIdentities
  const packed = compaction?.bytesPerKey ?? 0
  const bytesPerKeyMax = Math.max(BYTES_PER_KEY_MAX, packed * GROWTH_MAX)
  return keys >= KEYS_MIN && bytes / keys > bytesPerKeyMax ? "size" : null
}

/** Rows of removed batches that still take room, and of all batches that do. */
export function rowsOf({ catalogue, compaction }: IndexFacts): { removed: number; all: number } {
  const dropped = new Set(compaction?.dropped ?? [])
  let removed = 0
  let all = 0
  for (const { id, state, rows } of catalogue.batches.values()) {
    if (dropped.has(id)) continue
    all += rows
    if (state === "removed") removed += rows
  }
  return { removed, all }
}

export interface CompactionRequest {
  /** Directory of the index. */
  readonly path: string
  readonly now: () => number
  readonly onProgress?: (done: number, total: number) => void
}

/** Compacts the index if that is due; null if it is not. */
export async function compactIfNeeded(
  request: CompactionRequest,
): Promise<(Replaced & { readonly reason: CompactionReason }) | null> {
  const { path, now, onProgress = () => undefined } = request
  const reason = compactionReason(await readIndexFacts(path), now())
  if (reason === null) return null
  let all = 0
  const replaced = await compactLmdbIndex({
    path,
    now,
    onProgress(done, total) {
      all = total
      onProgress(done, total)
    },
  })
  // What was lost before is not among those that were copied.
  onProgress(all, all)
  return { ...replaced, reason }
}
