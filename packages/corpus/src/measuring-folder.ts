import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import { lockFolder } from "@assay/runtime/data-directory"

/**
 * Where measuring spills what does not fit into memory. A command that changes a source measures
 * without the turn of imports, so a folder is locked while it is in use: the kernel frees it with
 * its process, and the next import removes what a killed one left.
 */
export interface MeasuringFolder {
  readonly path: string
  remove(): void
}

const PREFIX = "circulation-"

export function makeMeasuringFolder(workDirectory: string): MeasuringFolder {
  mkdirSync(workDirectory, { recursive: true, mode: 0o700 })
  for (;;) {
    const path = mkdtempSync(join(workDirectory, PREFIX))
    const lock = lockFolder(path)
    // An import that began in between takes it for what a killed one left.
    if (lock === null) continue
    return {
      path,
      remove() {
        lock.release()
        rmSync(path, { recursive: true, force: true })
      },
    }
  }
}

export function isMeasuringFolder(path: string): boolean {
  return basename(path).startsWith(PREFIX)
}

export function isInUse(path: string): boolean {
  const lock = lockFolder(path)
  lock?.release()
  return lock === null && existsSync(path)
}

export function removeUnlessInUse(path: string): void {
  const lock = lockFolder(path)
  if (lock === null) return
  rmSync(path, { recursive: true, force: true })
  lock.release()
}
