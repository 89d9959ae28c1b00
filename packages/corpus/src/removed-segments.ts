import { rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { isMissing } from "@assay/runtime/if-present"
import type { Catalogue } from "@assay/stores/exposure-index"

/**
 * Deletes the segments of removed batches and returns how many there were. The command that removes
 * a source calls this last. If it is killed before, the next command deletes the files, which are
 * not read any more.
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
    // The same file may be imported again: a newer segment belongs to a batch still loading.
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
    if (isMissing(error)) return false
    throw error
  }
}
