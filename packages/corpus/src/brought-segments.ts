import { createHash, randomBytes } from "node:crypto"
import { mkdir, open, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { renameDurably } from "@assay/runtime/durable-files"
import { isMissing } from "@assay/runtime/if-present"
import type { Catalogue, SegmentReference } from "@assay/stores/exposure-index"

/** A segment that the catalogue names and this node lacks. */
export interface WantedSegment extends SegmentReference {
  readonly batchId: number
  /** The name of its source. */
  readonly source: string
  /** When its batch was begun. */
  readonly createdAt: number
}

/** What a name of a segment looks like; never a path. */
const SEGMENT_NAME = /^\w[\w.-]*\.parquet$/

export function isSegmentName(name: string): boolean {
  return SEGMENT_NAME.test(name)
}

/**
 * The segments of live batches that are not in the directory, or not as large as they should be.
 */
export async function lackingSegments(
  { batches, sources }: Pick<Catalogue, "batches" | "sources">,
  segmentsDirectory: string,
): Promise<WantedSegment[]> {
  const lacking = new Map<string, WantedSegment>()
  for (const { id, sourceId, state, segment, createdAt } of batches.values()) {
    if (state !== "live" || segment == null || !isSegmentName(segment.file)) continue
    if ((await bytesOf(join(segmentsDirectory, segment.file))) === segment.bytes) continue
    const source = sources.get(sourceId)?.name ?? ""
    lacking.set(segment.file, { ...segment, batchId: id, source, createdAt })
  }
  return [...lacking.values()]
}

async function bytesOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** What came is not the segment that the catalogue names. */
export class OtherBytes extends Error {
  override readonly name = "OtherBytes"
}

/**
 * Keeps a segment that comes from another node, if it is the one the catalogue names: all of it or
 * nothing. Throws OtherBytes, or what the bytes or the disk throw. It is as old as its batch, so
 * that removing its source takes it, whenever it came.
 */
export async function keepBrought(
  segmentsDirectory: string,
  { file: name, bytes, sha256, createdAt }: WantedSegment,
  pieces: AsyncIterable<Uint8Array>,
): Promise<void> {
  await mkdir(segmentsDirectory, { recursive: true, mode: 0o700 })
  const path = join(segmentsDirectory, name)
  // An import and the service may both bring it, and the folder may be that of several nodes.
  const half = `${path}.${randomBytes(6).toString("hex")}.half`
  try {
    const file = await open(half, "wx", 0o600)
    try {
      const hash = createHash("sha256")
      let taken = 0
      for await (const piece of pieces) {
        taken += piece.length
        if (taken > bytes) break
        hash.update(piece)
        await file.writeFile(piece)
      }
      if (taken !== bytes || hash.digest("hex") !== sha256)
        throw new OtherBytes("A segment came with other bytes than the catalogue names")
      await file.sync()
      await file.utimes(createdAt / 1000, createdAt / 1000)
    } finally {
      await file.close()
    }
    await renameDurably(half, path)
  } catch (error) {
    await rm(half, { force: true })
    throw error
  }
}
