import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after } from "node:test"

/** A directory that goes when the test file is done. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "assay-test-"))
  after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}
