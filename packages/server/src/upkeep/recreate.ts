import type { Catalogue, ExposureIndex } from "@assay/stores/exposure-index"
import { openSegmentReader } from "@assay/corpus/segments/segment"
import { placeOf, requireWholeSegments } from "./verify.ts"

export interface Recreation {
  /** An index that holds nothing yet, or what an interrupted recreation left in it. */
  readonly index: ExposureIndex
  /** What the segments stand for. */
  readonly kept: Catalogue
  readonly segments: string
  readonly keyCheckValue: string
  readonly onPhase: (phase: string) => void
  readonly onProgress: (done: number, total: number) => void
}

/**
 * Fills a new index from segments alone, in place of one that is lost; returns how many rows that
 * were.
 */
export async function recreateIndex(recreation: Recreation): Promise<number> {
  const { index, kept, segments, onPhase, onProgress } = recreation
  const batches = [...kept.batches.values()]
  const reader = await openSegmentReader()
  try {
    onPhase("segments")
    await requireWholeSegments(batches, recreation, reader)
    onPhase("index")
    const total = batches.reduce((sum, { rows }) => sum + rows, 0)
    let done = 0
    for (const batch of batches) {
      const source = kept.sources.get(batch.sourceId)
      if (source === undefined) throw new Error("A batch has no source")
      const { fingerprint, createdAt, liveAt, rows, identities } = batch
      const { importedBy = null, recipe = null } = batch
      const opened = await index.openBatch(source, fingerprint, createdAt)
      if (opened.state !== "loading") continue
      const { path, segment } = placeOf(batch, segments)
      await index.mergeSegment(opened.id, reader.blocks(path), (more) => {
        done += more
        onProgress(done, total)
      })
      const going = { rows, identities, importedBy, segment, recipe }
      await index.goLive(opened.id, going, liveAt ?? createdAt)
    }
    return total
  } finally {
    reader.close()
  }
}
