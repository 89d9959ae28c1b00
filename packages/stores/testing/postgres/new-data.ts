import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { promisify } from "node:util"

/** Where a run of many test files keeps the data of a new server. */
const KEPT = process.env["TEST_POSTGRES_DATA"]

const run = promisify(execFile)

/**
 * Puts the data of a new server into a folder: a copy of what the first one of the run made, which
 * takes a third of making it.
 */
export async function copiedOrMade(folder: string, make: () => Promise<void>): Promise<void> {
  if (KEPT !== undefined && existsSync(KEPT)) {
    await copy(KEPT, folder)
    return
  }
  await make()
  if (KEPT === undefined) return
  const own = `${KEPT}-${process.pid}`
  await copy(folder, own)
  // Another process of the run may have been first; its data is as good.
  await rename(own, KEPT).catch(() => rm(own, { recursive: true }))
}

/** By the command, which keeps the owner: as root, the server runs under another account. */
async function copy(from: string, to: string): Promise<void> {
  await run("cp", ["-a", from, to])
}
