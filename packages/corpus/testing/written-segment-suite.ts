import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ExposureIndex, Row, SegmentReference } from "@assay/stores/exposure-index"
import { source } from "@assay/stores/testing/exposure-index-process-suite"
import { rowOfEntry } from "@assay/stores/segment-block"
import { END_FRAME, FrameWriter, readFrames } from "../src/engine/keyed-rows.ts"
import { sortIntoSegment } from "../src/engine/sorter.ts"
import { openSegmentReader } from "../src/segments/segment.ts"

export const KEY_CHECK_VALUE = "check value of the tests"

/** Imports rows as a batch with a segment, as the import does: sorted, written, merged, live. */
export async function importWithSegment(
  index: ExposureIndex,
  segments: string,
  name: string,
  rows: readonly Row[],
  keyCheckValue = KEY_CHECK_VALUE,
): Promise<number> {
  const { id } = await index.openBatch({ ...source, name }, name, 1)
  const segment = await writtenSegment(segments, `${name}.parquet`, rows, keyCheckValue)
  const reader = await openSegmentReader()
  try {
    const merged = await index.mergeSegment(id, reader.blocks(join(segments, segment.file)))
    const { rows: count, identities } = merged
    await index.goLive(id, { rows: count, identities, importedBy: "tests", segment }, 2)
  } finally {
    reader.close()
  }
  return id
}

async function writtenSegment(
  directory: string,
  file: string,
  rows: readonly Row[],
  keyCheckValue: string,
): Promise<SegmentReference> {
  await mkdir(directory, { recursive: true })
  const workDirectory = await mkdtemp(join(tmpdir(), "assay-sorter-"))
  try {
    const { bytes, sha256 } = await sortIntoSegment(readFrames(framesOf(rows)), {
      workDirectory,
      segment: join(directory, file),
      keyCheckValue,
      memoryMb: 256,
      domains: [],
    })
    return { file, bytes, sha256 }
  } finally {
    await rm(workDirectory, { recursive: true, force: true })
  }
}

async function* framesOf(rows: readonly Row[]): AsyncGenerator<Buffer> {
  const writer = new FrameWriter()
  for (const { key, entries } of rows) {
    for (const entry of entries) {
      const { head, extended } = rowOfEntry(entry)
      const bytes = Buffer.from(head)
      writer.add(
        Buffer.from(key).toString("latin1"),
        bytes.readUInt32BE(0),
        bytes.readUInt32BE(4),
        extended,
      )
      if (writer.full) yield writer.take()
    }
  }
  if (!writer.empty) yield writer.take()
  yield END_FRAME
}
