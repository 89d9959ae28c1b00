import { keptSet } from "../entry-spans.ts"
import type { BatchState } from "../entry-set.ts"
import { LMDB_MAP_BYTES } from "./environment.ts"
import { type Making, replaceGeneration, type Replaced } from "./replace-generation.ts"
import { chunksOf } from "./scan.ts"
import { entryCount, put } from "./stored.ts"

export interface CompactOptions {
  readonly path: string
  readonly mapSize?: number
  readonly now?: () => number
  /** Hears how many of how many identities are done. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Writes the index anew, in the order of its keys, so that its pages are full and hold nothing of removed batches or
 * erased subjects, and puts that in its place. Lookups and writes go on meanwhile, in this process and in others.
 */
export function compactLmdbIndex(options: CompactOptions): Promise<Replaced> {
  const { path, mapSize = LMDB_MAP_BYTES, now = Date.now, onProgress } = options
  return replaceGeneration(
    { path, mapSize, now },
    {
      async fill(making) {
        await copySets(making, "shared", onProgress)
        await copySets(making, "tenants", onProgress)
      },
      settle: (_, stored, __, making) =>
        stored === undefined ? null : keptSet(stored, stateIn(making)),
    },
  )
}

/** Copies a database by appending, without what removed batches said. */
export async function copySets(
  making: Making,
  name: "shared" | "tenants",
  onProgress: CompactOptions["onProgress"],
): Promise<void> {
  const { from, to } = making
  const stateOf = stateIn(making)
  const total = entryCount(from.shared) + entryCount(from.tenants)
  let done = name === "shared" ? 0 : entryCount(from.shared)
  for (const chunk of chunksOf(from, from[name])) {
    await to.root.childTransaction(() => {
      for (const { key, value } of chunk) {
        const kept = keptSet(value, stateOf)
        if (kept !== null) put(to[name], key, kept, true)
      }
    })
    done += chunk.length
    onProgress?.(done, total)
  }
}

function stateIn({ document: { batches } }: Making): (batchId: number) => BatchState | undefined {
  return (batchId) => batches.get(batchId)?.state
}
