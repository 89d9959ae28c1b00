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
import { EMPTY_SET_BYTES, keptSet } from "../entry-spans.ts"
import type { SegmentBlock } from "../segment-block.ts"
import { Changes } from "./changes.ts"
import { type Environment, LMDB_MAP_BYTES } from "./environment.ts"
import { mergeBlocks } from "./put-rows.ts"
import { type Making, replaceGeneration, type Replaced } from "./replace-generation.ts"
import { chunksOf, readingAll, type Snapshot } from "./scan.ts"

export interface RebuildOptions {
  readonly path: string
  readonly mapSize?: number
  readonly now?: () => number
  /** The rows of a batch that has a segment. */
  readonly rowsOf: (batch: Batch) => AsyncIterable<SegmentBlock>
  /** Called after each batch, with its number of rows. */
  readonly onBatch?: (batch: Batch, rows: number) => void
}

export interface Rebuilt extends Replaced {
  readonly rows: number
  /** Sets of the index before that could not be read, so that what only they held is lost. */
  readonly unreadable: number
}

/**
 * Makes the index again from the segments of live batches and replaces the old one. Data without a
 * segment (some batches, evidence of tenants, erasures) comes from the present index. Lookups and
 * writes go on meanwhile.
 */
export async function rebuildLmdbIndex(options: RebuildOptions): Promise<Rebuilt> {
  const { path, mapSize = LMDB_MAP_BYTES, now = Date.now, rowsOf, onBatch } = options
  let rows = 0
  let unreadable = 0
  const replaced = await replaceGeneration(
    { path, mapSize, now },
    {
      async fill(making) {
        unreadable = await readingAll(
          making.from,
          async (snapshot) =>
            (await copyReadable(making, "tenants", snapshot, keptOfTenant)) +
            (await copyReadable(making, "shared", snapshot, unsegmented(making))),
        )
        for (const batch of liveBatches(making)) {
          if (batch.segment == null) continue
          const merged = await mergeSegmentInto(making, batch, rowsOf(batch))
          rows += merged
          onBatch?.(batch, merged)
        }
      },
      settle({ database }, stored, made, making) {
        if (database === "tenants") return stored ?? null
        if (stored === undefined) return made() ?? null
        if (isTombstone(stored)) return TOMBSTONE
        const set = joined(made(), readEntrySet(stored).entries, making)
        return set.length === EMPTY_SET_BYTES ? null : set
      },
    },
  )
  return { ...replaced, rows, unreadable }
}

/** What of a set the new generation begins with; undefined: it cannot be read. */
type Kept = (value: Uint8Array, making: Making) => Uint8Array | null | undefined

/** The erasures, and the entries of batches without a segment. */
function unsegmented(making: Making): Kept {
  const { document } = making
  const ids = new Set(
    liveBatches(making)
      .filter(({ segment }) => segment == null)
      .map(({ id }) => id),
  )
  return (value) => {
    if (isTombstone(value)) return TOMBSTONE
    const kept = entriesIn(value)?.filter(({ batchId }) => ids.has(batchId))
    return kept?.length === 0 ? null : kept && joined(undefined, kept, { document })
  }
}

function keptOfTenant(value: Uint8Array, { document: { batches } }: Making): ReturnType<Kept> {
  if (entriesIn(value) === null) return undefined
  return keptSet(value, (batchId) => batches.get(batchId)?.state)
}

/**
 * Copies what can be read of a database and returns how many sets could not be. They are left out:
 * segments and records have them too, and a value under a changed key belongs to another identity.
 */
async function copyReadable(
  making: Making,
  name: "shared" | "tenants",
  snapshot: Snapshot,
  kept: Kept,
): Promise<number> {
  const { from, to } = making
  let read = 0
  let last: Uint8Array | null = null
  for (const chunk of chunksOf(from, name, snapshot)) {
    await to.root.childTransaction(() => {
      for (const { key, value, intact } of chunk) {
        const set = intact ? kept(value, making) : undefined
        if (set !== undefined) read++
        if (set == null) continue
        // In a damaged file pages may stand in the wrong place with all they hold.
        const append = last === null || Buffer.compare(last, key) < 0
        to[name].put(key, set, append)
        if (append) last = key
      }
    })
  }
  return Math.max(0, snapshot.counts[name] - read)
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
  let rows = 0
  const write = <T>(
    work: (changes: Changes, on: Environment, document: Making["document"]) => T,
  ): Promise<T> => to.root.childTransaction(() => work(new Changes(to), to, document))
  for await (const merged of mergeBlocks(batch.id, blocks, write)) rows += merged.rows
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
