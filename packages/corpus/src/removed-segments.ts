import { rm, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Catalogue } from "@assay/stores/exposure-index"

/**
 * Deletes the segments of removed batches and returns how many there were. A command that removes
 * does it last, and one that was killed before leaves it to the next: a file that nobody reads any
 * more is all that can be left over.
 */
export async function deleteRemovedSegments(
  { batches }: Catalogue,
  segmentsDirectory: string,
): Promise<number> {
  const kept = new Set<string>()
  for (const { state, segment } of batches.values()) {
    if (state !== "removed" && segment != null) kept.add(segment.file)
  }
  let deleted = 0
  for (const { state, segment, removedAt } of batches.values()) {
    if (state !== "removed" || segment == null || removedAt === null) continue
    if (kept.has(segment.file)) continue
    const path = join(segmentsDirectory, segment.file)
    // The same file may be imported again: a segment written since is that of a batch still
    // loading.
    if (!(await isOlderThan(path, removedAt))) continue
    await rm(path, { force: true })
    deleted++
  }
  return deleted
}

async function isOlderThan(path: string, ms: number): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs <= ms
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false
    throw error
  }
}
