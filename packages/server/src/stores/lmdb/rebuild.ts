import { MalformedBytes } from "../bytes.ts"
import type { Batch } from "../catalogue.ts"
import type { Entry } from "../entry.ts"
import {
  type BatchState,
  isTombstone,
  mergedEntrySet,
  readEntrySet,
  SHARED_ENTRIES_MAX,
  TOMBSTONE,
} from "../entry-set.ts"
import { EMPTY_SET_BYTES } from "../entry-spans.ts"
import type { SegmentBlock } from "../segment-block.ts"
import { SegmentMerger } from "../segment-merger.ts"
import { portionsOf } from "../segment-portions.ts"
import { Changes } from "./changes.ts"
import { copySets } from "./compact.ts"
import { LMDB_MAP_BYTES } from "./environment.ts"
import { mergePortion } from "./merge-segment.ts"
import { type Making, replaceGeneration, type Replaced } from "./replace-generation.ts"
import { chunksOf } from "./scan.ts"
import { put } from "./stored.ts"

export interface RebuildOptions {
  readonly path: string
  readonly mapSize?: number
  readonly now?: () => number
  /** The rows of a batch that has a segment. */
  readonly rowsOf: (batch: Batch) => AsyncIterable<SegmentBlock>
  /** Hears of each batch that is done, and how many rows it had. */
  readonly onBatch?: (batch: Batch, rows: number) => void
}

export interface Rebuilt extends Replaced {
  readonly rows: number
  /** Sets of the index before that could not be read, so that what only they held is lost. */
  readonly unreadable: number
}

const PORTION_ROWS = 32_768

/**
 * Makes the index again from the segments of live batches and puts that in its place. What no segment has (batches
 * without one, evidence of tenants, who was erased) comes from the index as it is. Lookups and writes go on meanwhile.
 */
export async function rebuildLmdbIndex(options: RebuildOptions): Promise<Rebuilt> {
  const { path, mapSize = LMDB_MAP_BYTES, now = Date.now, rowsOf, onBatch } = options
  let rows = 0
  let unreadable = 0
  const replaced = await replaceGeneration(
    { path, mapSize, now },
    {
      async fill(making) {
        await copySets(making, "tenants", undefined)
        unreadable = await copyUnsegmented(making)
        for (const batch of liveBatches(making)) {
          if (batch.segment == null) continue
          const merged = await mergeSegmentInto(making, batch, rowsOf(batch))
          rows += merged
          onBatch?.(batch, merged)
        }
      },
      settle({ database }, stored, made, making) {
        if (database === "tenants") return stored ?? null
        if (stored === undefined) return made ?? null
        if (isTombstone(stored)) return TOMBSTONE
        const set = joined(made, readEntrySet(stored).entries, making)
        return set.length === EMPTY_SET_BYTES ? null : set
      },
    },
  )
  return { ...replaced, rows, unreadable }
}

/** Copies who was erased and what batches without a segment say; returns how many sets could not be read. */
async function copyUnsegmented(making: Making): Promise<number> {
  const { from, to, document } = making
  const unsegmented = new Set(
    liveBatches(making)
      .filter(({ segment }) => segment == null)
      .map(({ id }) => id),
  )
  let unreadable = 0
  for (const chunk of chunksOf(from, from.shared)) {
    await to.root.childTransaction(() => {
      for (const { key, value } of chunk) {
        if (isTombstone(value)) {
          put(to.shared, key, TOMBSTONE, true)
          continue
        }
        const entries = entriesIn(value)
        if (entries === null) unreadable++
        const kept = entries?.filter(({ batchId }) => unsegmented.has(batchId)) ?? []
        if (kept.length > 0) put(to.shared, key, joined(undefined, kept, { document }), true)
      }
    })
  }
  return unreadable
}

function entriesIn(value: Uint8Array): readonly Entry[] | null {
  try {
    return readEntrySet(value).entries
  } catch (error) {
    if (error instanceof MalformedBytes) return null
    throw error
  }
}

async function mergeSegmentInto(
  { to, document }: Making,
  batch: Batch,
  blocks: AsyncIterable<SegmentBlock>,
): Promise<number> {
  const merger = new SegmentMerger(batch.id, SHARED_ENTRIES_MAX)
  let rows = 0
  for await (const portion of portionsOf(blocks, PORTION_ROWS)) {
    await to.root.childTransaction(() => {
      mergePortion(to.shared, new Changes(to), merger, portion, document)
    })
    rows += portion.count
  }
  return rows
}

function joined(
  made: Uint8Array | undefined,
  entries: readonly Entry[],
  { document: { batches } }: Pick<Making, "document">,
): Uint8Array {
  const stateOf = (batchId: number): BatchState => batches.get(batchId)?.state ?? "loading"
  const still = entries.filter(({ batchId }) => stateOf(batchId) !== "removed")
  return mergedEntrySet(made, still, SHARED_ENTRIES_MAX, stateOf)
}

function liveBatches({ document: { batches } }: Making): Batch[] {
  return [...batches.values()]
    .filter(({ state, owner }) => state === "live" && owner === "shared")
    .sort((a, b) => a.id - b.id)
}
