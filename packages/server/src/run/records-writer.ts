import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import type { DatabasePlace } from "@assay/stores/database"
import type { Records } from "@assay/stores/records"
import { RecordsError, type RecordsFault, WrongSecretError } from "@assay/stores/records-error"
import { threadChannel } from "@assay/runtime/channels"
import { type Call, openCalls, RemoteError } from "@assay/runtime/rpc"
import { RECORDS_METHODS } from "./records-methods.ts"

/**
 * The one writer of the records: a thread, because SQLite waits for the disk on every commit and
 * the primary's own loop must keep granting leases meanwhile.
 */
export async function openRecordsWriter(place: DatabasePlace, answerMs = 30_000): Promise<Records> {
  const entry = new URL(`./records-thread${extname(import.meta.filename)}`, import.meta.url)
  const thread = new Worker(entry, { workerData: place })
  const within = openCalls(threadChannel(thread))
  const records = recordsOver(within(answerMs))
  // As long as it takes to rewrite a large table. The engine limits what it may wait for.
  await recordsOver(within(null))
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

/** The records on the other side of a channel. Faults keep their codes. */
export function recordsOver(call: Call): Records {
  const forward =
    (method: string) =>
    async (...args: unknown[]): Promise<unknown> => {
      try {
        return await call(method, ...args)
      } catch (error) {
        throw error instanceof RemoteError ? recordsFault(error) : error
      }
    }
  return Object.fromEntries(
    RECORDS_METHODS.map((method) => [method, forward(method)]),
  ) as unknown as Records
}

function recordsFault(error: RemoteError): Error {
  if (error.code === "wrong-secret") return new WrongSecretError()
  if (error.code === "internal" || error.code === "unknown-method") return error
  return new RecordsError(error.code as RecordsFault, error.message, { cause: error })
}
