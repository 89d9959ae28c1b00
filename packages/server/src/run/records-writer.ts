import { extname } from "node:path"
import { inThread } from "@assay/runtime/children"
import type { DatabasePlace } from "@assay/stores/database"
import type { Records } from "@assay/stores/records"
import { recordsFault, recordsPort } from "./ports.ts"

/**
 * The one writer of the records: a thread, because SQLite waits for the disk on every commit and
 * the primary's own loop must keep granting leases meanwhile.
 */
export async function openRecordsWriter(place: DatabasePlace, answerMs = 30_000): Promise<Records> {
  const module = new URL(`./records-thread${extname(import.meta.filename)}`, import.meta.url)
  const records = inThread(module, place, recordsPort, {
    callMs: answerMs,
    // As long as it takes to rewrite a large table. The engine limits what it may wait for.
    deadlines: { migrate: null },
    faultOf: recordsFault,
  })
  try {
    await records.migrate()
  } catch (error) {
    await records.close().catch(() => undefined)
    throw error
  }
  return records
}
