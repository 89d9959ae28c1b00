import { join } from "node:path"
import type { Batch } from "@assay/stores/exposure-index"
import { readIndexFacts } from "@assay/stores/lmdb/index-facts"
import { type Rebuilt, rebuildLmdbIndex } from "@assay/stores/lmdb/rebuild"
import { openSegmentReader } from "@assay/corpus/segments/segment"
import { segmentFault } from "./verify.ts"

export interface RebuildRequest {
  /** Directory of the index, and of segments. */
  readonly index: string
  readonly segments: string
  readonly keyCheckValue: string
  readonly now: () => number
  readonly onPhase: (phase: string) => void
  readonly onProgress: (done: number, total: number) => void
}

/** A segment that cannot be used, so that nothing was changed. */
export class SegmentsDamaged extends Error {
  override readonly name = "SegmentsDamaged"
  readonly faults: readonly string[]
  constructor(faults: readonly string[]) {
    super("The index stays as it is: not every segment can be used")
    this.faults = faults
  }
}

/** Makes the index again from the segments, all of which are checked before the first is used. */
export async function rebuildCorpus(request: RebuildRequest): Promise<Rebuilt> {
  const { index, segments, keyCheckValue, now, onPhase, onProgress } = request
  const { catalogue } = await readIndexFacts(index)
  const kept = [...catalogue.batches.values()].filter(
    ({ state, segment }) => state === "live" && segment != null,
  )
  const reader = await openSegmentReader()
  try {
    onPhase("segments")
    const faults: string[] = []
    for (const [i, { id, rows, segment }] of kept.entries()) {
      if (segment == null) continue
      const path = join(segments, segment.file)
      const fault = await segmentFault(path, segment, keyCheckValue, rows, reader)
      if (fault !== null) faults.push(`batch ${id}: ${fault}`)
      onProgress(i + 1, kept.length)
    }
    if (faults.length > 0) throw new SegmentsDamaged(faults)
    onPhase("index")
    let done = 0
    const total = kept.reduce((sum, { rows }) => sum + rows, 0)
    return await rebuildLmdbIndex({
      path: index,
      now,
      rowsOf: ({ segment }: Batch) => reader.blocks(join(segments, segment?.file ?? "")),
      onBatch(_, rows) {
        done += rows
        onProgress(done, total)
      },
    })
  } finally {
    reader.close()
  }
}
