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

/** Removes a directory and, for a service's, the files beside it. */
export function removeWithTombstones(directory: string): void {
  for (const path of [directory, `${directory}.tombstones`, `${directory}.audit-heads`])
    rmSync(path, { recursive: true, force: true, maxRetries: 5 })
}
