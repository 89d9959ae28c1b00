import type { BatchState } from "../entry-set.ts"
import { keptSet } from "../entry-spans.ts"
import { IndexDamaged } from "../exposure-index.ts"
import { Buckets, Filling } from "./buckets.ts"
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
  for (const chunk of chunksOf(from, name, snapshot)) {
    await to.root.childTransaction(() => {
      for (const { key, value, intact } of chunk) {
        if (last !== null && Buffer.compare(last, key) >= 0) {
          throw new IndexDamaged("Keys of the index are out of order")
        }
        last = key
        if (!intact) {
          // In a bucket it would be one of many, and the others would be lost with it.
          if (filling !== null) throw new IndexDamaged("A part of the index is damaged")
          to.tenants.putDamaged(key, value, true)
          continue
        }
        const kept = keptSet(value, stateOf)
        if (kept === null) continue
        if (filling === null) to.tenants.put(key, kept, true)
        else filling.add(key, kept)
      }
    })
    done += chunk.length
    onProgress?.(before + done, total)
  }
  if (filling !== null) {
    await to.root.childTransaction(() => {
      filling.end()
    })
  }
  if (done !== counts[name]) throw new IndexDamaged("Not every key of the index can be reached")
}

function stateIn({ document: { batches } }: Making): (batchId: number) => BatchState | undefined {
  return (batchId) => batches.get(batchId)?.state
}
