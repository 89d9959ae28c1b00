import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { openCalls, RemoteError } from "@assay/runtime/rpc"
import { DROPS_METHODS } from "./drops-methods.ts"
import type { Drops } from "./store/drops.ts"
import { DropsError, type DropsFault } from "./store/drops-error.ts"

/** Readers and writers wait while a file of many gigabytes is written anew. */
const CALL_MS = 10 * 60_000

/**
 * The drop's store in a thread of its own: SQLite waits for the disk on every commit and for long
 * on a rewrite, while the loop of the drop process must go on reading uploads.
 */
export async function openStoreThread(folder: string): Promise<Drops> {
  const entry = new URL(`./store-thread-main${extname(import.meta.filename)}`, import.meta.url)
  const thread = new Worker(entry, { workerData: folder })
  const call = openCalls(threadChannel(thread))(CALL_MS)
  const forward =
    (method: string) =>
    async (...args: unknown[]): Promise<unknown> => {
      try {
        return await call(method, ...args)
      } catch (error) {
        throw error instanceof RemoteError ? dropsFault(error) : error
      }
    }
  const drops = Object.fromEntries(
    DROPS_METHODS.map((method) => [method, forward(method)]),
  ) as unknown as Drops
  try {
    await drops.dropId()
  } catch (error) {
    await thread.terminate()
    throw error
  }
  return {
    ...drops,
    async close() {
      await drops.close()
      await thread.terminate()
    },
  }
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
