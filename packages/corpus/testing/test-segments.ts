import { createHash } from "node:crypto"
import { mkdir, mkdtemp } from "node:fs/promises"
import { join } from "node:path"
import type { Entry, ExposureIndex, SourceDescription } from "@assay/stores/exposure-index"
import { rowOfEntry } from "@assay/stores/segment-block"
import { END_FRAME, FrameWriter, type KeyedRows, readFrames } from "../src/engine/keyed-rows.ts"
import { sortIntoSegment } from "../src/engine/sorter.ts"
import { openSegmentReader } from "../src/segments/segment.ts"

/** What an import would have made of a row. */
export type TestRow = Partial<Entry> & { readonly key: Uint8Array }

export interface TestImport {
  readonly description: SourceDescription
  readonly rows: readonly TestRow[]
  /** Names the batch; by default the source does. */
  readonly fingerprint?: string
  readonly at?: number
}

export const testSource: SourceDescription = {
  name: "forum",
  title: "Forum",
  kind: "breach",
  confidence: 0.9,
  classes: [],
  flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
  eventDate: null,
  circulates: false,
}

/**
 * The key of an identity that is in the sample by which circulation is measured: it begins with six
 * zero bits.
 */
export function sampledKey(n: number): Uint8Array {
  const key = createHash("sha256").update(`identity ${n}`).digest().subarray(0, 16)
  key[0] = n & 3
  return key
}

/** The key of an identity that is not. */
export function otherKey(n: number): Uint8Array {
  const key = sampledKey(n)
  key[0] = 4 + (n % 252)
  return key
}

/**
 * Writes rows as a segment of the directory, without any index, and returns the name of its file.
 */
export async function writeTestSegment(
  rows: readonly TestRow[],
  segmentsDirectory: string,
  file: string,
): Promise<{ file: string; rows: number; bytes: number; sha256: string }> {
  await mkdir(segmentsDirectory, { recursive: true })
  const workDirectory = await mkdtemp(join(segmentsDirectory, "work-"))
  const segment = join(segmentsDirectory, file)
  const sorted = await sortIntoSegment(frames(rows), {
    workDirectory,
    segment,
    keyCheckValue: "",
    memoryMb: 128,
    domains: [],
  })
  return { file, ...sorted }
}

/**
 * Imports rows as the engine does: a segment, merged into a batch that goes live. Returns the
 * batch's id.
 */
export async function importTestSegment(
  index: ExposureIndex,
  segmentsDirectory: string,
  { description, rows, fingerprint = description.name, at = 1 }: TestImport,
): Promise<number> {
  const { id } = await index.openBatch(description, fingerprint, at)
  const segment = await writeTestSegment(rows, segmentsDirectory, `${id}.parquet`)
  const reader = await openSegmentReader()
  try {
    const merged = await index.mergeSegment(
      id,
      reader.blocks(join(segmentsDirectory, segment.file)),
    )
    const { file, bytes, sha256 } = segment
    const going = { ...merged, importedBy: "ada", segment: { file, bytes, sha256 } }
    await index.goLive(id, going, at)
  } finally {
    reader.close()
  }
  return id
}

async function* frames(rows: readonly TestRow[]): AsyncGenerator<KeyedRows> {
  const writer = new FrameWriter()
  const taken: Buffer[] = []
  for (const { key, ...entry } of rows) {
    const { head, extended } = rowOfEntry({
      kind: "breach",
      secret: entry.fingerprint == null ? "none" : "plaintext",
      hours: 24 * 19_000,
      fingerprint: null,
      aliasTag: 0,
      batchId: 1,
      item: null,
      confidence: null,
      classes: [],
      value: null,
      ...entry,
    })
    const view = Buffer.from(head)
    writer.add(
      Buffer.from(key).toString("latin1"),
      view.readUInt32BE(0),
      view.readUInt32BE(4),
      extended,
    )
    if (writer.full) taken.push(writer.take())
  }
  if (!writer.empty) taken.push(writer.take())
  async function* stream(): AsyncGenerator<Buffer> {
    yield* taken
    yield END_FRAME
  }
  yield* readFrames(stream())
}
