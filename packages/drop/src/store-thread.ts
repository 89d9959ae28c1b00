import { extname } from "node:path"
import { inThread } from "@assay/runtime/children"
import type { RemoteError } from "@assay/runtime/rpc"
import { type Drops, dropsPort } from "./store/drops.ts"
import { DropsError, type DropsFault } from "./store/drops-error.ts"

/** Readers and writers wait while a file of many gigabytes is written anew. */
const CALL_MS = 10 * 60_000

/**
 * The drop's store in its own thread: SQLite waits for the disk on every commit, and for long on a
 * rewrite, while the event loop of the drop process must go on reading uploads.
 */
export async function openStoreThread(folder: string): Promise<Drops> {
  const module = new URL(`./store-thread-main${extname(import.meta.filename)}`, import.meta.url)
  const drops = inThread(module, folder, dropsPort, { callMs: CALL_MS, faultOf: dropsFault })
  try {
    await drops.dropId()
  } catch (error) {
    await drops.close().catch(() => undefined)
    throw error
  }
  return drops
}

const FAULTS: readonly string[] = [
  "full",
  "refused",
  "newer-format",
  "damaged",
  "unavailable",
] satisfies DropsFault[]

function dropsFault(error: RemoteError): Error {
  return FAULTS.includes(error.code)
    ? new DropsError(error.code as DropsFault, error.message, { cause: error })
    : error
}
