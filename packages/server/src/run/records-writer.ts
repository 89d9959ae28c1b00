import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import type { DatabasePlace } from "@assay/stores/database"
import type { Records } from "@assay/stores/records"
import { threadChannel } from "@assay/runtime/channels"
import { openCalls, remote } from "@assay/runtime/rpc"
import { recordsFault, recordsPort } from "./ports.ts"

/**
 * The one writer of the records: a thread, because SQLite waits for the disk on every commit and
 * the primary's own loop must keep granting leases meanwhile.
 */
export async function openRecordsWriter(place: DatabasePlace, answerMs = 30_000): Promise<Records> {
  const entry = new URL(`./records-thread${extname(import.meta.filename)}`, import.meta.url)
  const thread = new Worker(entry, { workerData: place })
  const within = openCalls(threadChannel(thread))
  const records = remote(recordsPort, within(answerMs), recordsFault)
  // As long as it takes to rewrite a large table. The engine limits what it may wait for.
  await remote(recordsPort, within(null), recordsFault)
    .migrate()
    .catch(async (error: unknown) => {
      await thread.terminate()
      throw error
    })
  return {
    ...records,
    async close() {
      await records.close().finally(() => thread.terminate())
    },
  }
}
