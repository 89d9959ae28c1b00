import { join } from "node:path"
import {
  type Batch,
  type Catalogue,
  type ExposureIndex,
  KEY_BYTES,
  type MergedSegment,
  type SegmentBlock,
} from "@assay/stores/exposure-index"
import { firstOf } from "@assay/stores/cells"
import { ImportFailure } from "./engine/import-failure.ts"
import type { ImportReport, ImportWork } from "./import-request.ts"
import { keepCatalogue } from "./kept-catalogue.ts"
import { forgetKept, type KeptSegment } from "./kept-segment.ts"
import { rejectedIn, type SortedRows } from "./make-segment.ts"
import { RowsExpected } from "./rows-expected.ts"
import { openSegmentReader } from "./segments/segment.ts"

/** Brings the rows of a segment into the index, as those of a batch that is loading. */
export async function mergeKept(
  work: ImportWork,
  kept: KeptSegment,
  batch: Batch,
): Promise<MergedSegment> {
  const { reach } = work
  const path = join(reach.directory.segments, kept.segment.file)
  const reader = await openSegmentReader()
  try {
    const { keyCheckValue, rows } = await reader.facts(path)
    if (keyCheckValue !== reach.secrets.checkValue || rows !== kept.rows) {
      throw new ImportFailure("sorter", "The segment is not the one that was written")
    }
    return await mergeRows(
      work,
      batch,
      { blocks: reader.blocks(path), rowsMax: rows },
      rejectedIn(kept.tally),
    )
  } finally {
    reader.close()
  }
}

/** Brings sorted rows into the index. Whether they were all, the caller knows. */
export async function mergeRows(
  { reach, watch, index }: Pick<ImportWork, "reach" | "watch" | "index">,
  batch: Batch,
  { blocks, rowsMax }: SortedRows,
  rejected = 0,
): Promise<MergedSegment> {
  const expected = new RowsExpected(rowsMax)
  const tell = (rows: number, total: number | null): void =>
    watch.progress({ phase: "merging", rows, rejected, done: rows, total })
  let rows = 0
  const merged = await index.mergeSegment(
    batch.id,
    untilStopped(blocks, reach.signal, expected, () => tell(0, null)),
    (more) => {
      rows += more
      tell(rows, expected.totalFor(rows))
    },
  )
  tell(merged.rows, merged.rows)
  return merged
}

async function* untilStopped(
  blocks: AsyncIterable<SegmentBlock>,
  signal: AbortSignal,
  expected: RowsExpected,
  onFirst: () => void,
): AsyncGenerator<SegmentBlock> {
  let rows = 0
  for await (const block of blocks) {
    signal.throwIfAborted()
    const { count, keys } = block
    if (rows === 0) onFirst()
    rows += count
    if (count > 0) expected.came(rows, firstOf(keys, (count - 1) * KEY_BYTES))
    yield block
  }
}

/**
 * Makes a batch live. An index on another machine may make the change and fail to confirm it, so
 * after an error the catalogue decides.
 */
export async function goLive(
  index: ExposureIndex,
  batchId: number,
  going: Parameters<ExposureIndex["goLive"]>[1],
  nowMs: number,
): Promise<Catalogue> {
  try {
    return await index.goLive(batchId, going, nowMs)
  } catch (error) {
    const catalogue = await index.catalogue().catch(() => null)
    if (catalogue?.batches.get(batchId)?.state !== "live") throw error
    return catalogue
  }
}

/** How an import is in the audit trail. */
export function auditedAs({ id }: Batch): { readonly action: string; readonly subject: string } {
  return { action: "corpus.import", subject: `batch:${id}` }
}

/**
 * The steps after a batch is live. Before each step, `next` gets the text of what is undone if it
 * fails.
 */
export async function completeLive(
  { request, reach, fingerprint }: ImportWork,
  report: ImportReport,
  catalogue: Catalogue,
  next: (undone: string) => void,
): Promise<void> {
  const { batch, source } = report
  const { rows, identities } = report.merged
  next("the copy of its catalogue was not written")
  await keepCatalogue(catalogue, reach.directory.path)
  next("its entry in the audit trail was not written")
  await reach.audit({
    at: reach.now(),
    actor: request.importedBy,
    ...auditedAs(batch),
    // No file name: logs are filed under people and machines.
    detail: { source: source.name, kind: source.kind, rows, identities },
  })
  next("the event that tells of it was not stored")
  await reach.tell?.(report)
  next("the note of its segment was not removed")
  forgetKept(reach.directory, fingerprint)
  next("the index was not closed")
}
