import type { Batch } from "@assay/stores/exposure-index"
import { readIndexFacts } from "@assay/stores/lmdb/index-facts"
import { type Rebuilt, rebuildLmdbIndex } from "@assay/stores/lmdb/rebuild"
import { openSegmentReader } from "@assay/corpus/segments/segment"
import { placeOf, requireWholeSegments } from "./verify.ts"

export interface RebuildRequest {
  /** Directory of the index, and of segments. */
  readonly index: string
  readonly segments: string
  readonly keyCheckValue: string
  readonly now: () => number
  readonly onPhase: (phase: string) => void
  readonly onProgress: (done: number, total: number) => void
}

/** Makes the index again from the segments, all of which are checked before the first is used. */
export async function rebuildCorpus(request: RebuildRequest): Promise<Rebuilt> {
  const { index, segments, now, onPhase, onProgress } = request
  const { catalogue } = await readIndexFacts(index)
  const kept = [...catalogue.batches.values()].filter(
    ({ state, segment }) => state === "live" && segment != null,
  )
  const reader = await openSegmentReader()
  try {
    onPhase("segments")
    await requireWholeSegments(kept, request, reader)
    onPhase("index")
    let done = 0
    const total = kept.reduce((sum, { rows }) => sum + rows, 0)
    return await rebuildLmdbIndex({
      path: index,
      now,
      rowsOf: (batch: Batch) => reader.blocks(placeOf(batch, segments).path),
      onBatch(_, rows) {
        done += rows
        onProgress(done, total)
      },
    })
  } finally {
    reader.close()
  }
}
