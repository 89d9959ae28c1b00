import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after } from "node:test"

/** A directory that goes when the test file is done. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "assay-test-"))
  after(() => removeWithTombstones(directory))
  return directory
}

/**
 * Removes a directory and, where it was a service's, the file beside it that says who was erased.
 */
export function removeWithTombstones(directory: string): void {
  for (const path of [directory, `${directory}.tombstones`])
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
}
