import type { BatchState } from "../entry-set.ts"
import { keptSet } from "../entry-spans.ts"
import { IndexDamaged } from "../exposure-index.ts"
import { Filling } from "./bucket-moves.ts"
import { Buckets } from "./buckets.ts"
import { LMDB_MAP_BYTES } from "./environment.ts"
import { type Making, replaceGeneration, type Replaced } from "./replace-generation.ts"
import { chunksOf, readingAll, type Snapshot } from "./scan.ts"

export interface CompactOptions {
  readonly path: string
  readonly mapSize?: number
  readonly now?: () => number
  /** Called with the number of identities done and their total. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Rewrites the index in the order of its keys, so that its pages are full and hold nothing of
 * removed batches or erased subjects, and replaces the old one. Lookups and writes go on meanwhile,
 * in this process and in others. Throws IndexDamaged, and changes nothing, if not every key can be
 * copied: a copy would hide that one is missing.
 */
export function compactLmdbIndex(options: CompactOptions): Promise<Replaced> {
  const { path, mapSize = LMDB_MAP_BYTES, now = Date.now, onProgress } = options
  return replaceGeneration(
    { path, mapSize, now },
    {
      fill: (making) =>
        readingAll(making.from, async (snapshot) => {
          await copySets(making, "shared", snapshot, onProgress)
          await copySets(making, "tenants", snapshot, onProgress)
        }),
      settle: (_, stored, __, making) =>
        stored === undefined ? null : keptSet(stored, stateIn(making)),
    },
  )
}

/**
 * Copies a database by appending, without the entries of removed batches. A damaged value stays
 * damaged.
 */
async function copySets(
  making: Making,
  name: "shared" | "tenants",
  snapshot: Snapshot,
  onProgress: CompactOptions["onProgress"],
): Promise<void> {
  const { from, to } = making
  const { counts } = snapshot
  const stateOf = stateIn(making)
  const total = counts.shared + counts.tenants
  const before = name === "shared" ? 0 : counts.shared
  let done = 0
  let last: Uint8Array | null = null
  const filling =
    name === "shared" && to.shared instanceof Buckets ? new Filling(to.shared, counts.shared) : null
  const isFromBuckets = from[name] instanceof Buckets
  for (const chunk of chunksOf(from, name, snapshot)) {
    await to.root.childTransaction(() => {
      for (const { key, value, intact, lost } of chunk) {
        if (lost !== undefined) {
          if (!lost.isNoted) throw new IndexDamaged("A part of the index cannot be read")
          filling?.lose(lost)
          continue
        }
        done++
        if (last !== null && Buffer.compare(last, key) >= 0) {
          throw new IndexDamaged("Keys of the index are out of order")
        }
        last = key
        if (!intact) {
          if (filling === null) to.tenants.putDamaged(key, value, true)
          else if (isFromBuckets) filling.addDamaged(key, value)
          // Where each set has a value of its own its key may be the damaged one, so that only its
          // neighbours tell whose it was.
          else filling.loseOne()
          continue
        }
        const kept = keptSet(value, stateOf)
        if (filling !== null) filling.add(key, kept)
        else if (kept !== null) to.tenants.put(key, kept, true)
      }
    })
    onProgress?.(before + done, total)
  }
  if (filling !== null) {
    await to.root.childTransaction(() => {
      filling.end()
    })
  }
  // Of buckets each was read by its number, and none was missing.
  if (!isFromBuckets && done !== counts[name]) {
    throw new IndexDamaged("Not every key of the index can be reached")
  }
}

function stateIn({ document: { batches } }: Making): (batchId: number) => BatchState | undefined {
  return (batchId) => batches.get(batchId)?.state
}
