import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { collectOnceQuiet } from "@assay/runtime/collect-garbage"
import { offer, openCalls, serve } from "@assay/runtime/rpc"
import { openRecords } from "@assay/stores/open/open-database"
import { readQueued, rowsAbout } from "../review/queued-decisions.ts"
import { type RecordsThreadData, type RecordsWriter, recordsWriterPort } from "./ports.ts"

if (parentPort === null) throw new Error("records-thread runs as a thread of the primary process")
const { auditKey, ...place } = workerData as RecordsThreadData
const channel = threadChannel(parentPort)
const callPrimary = openCalls(channel)(30_000)
const opening = openRecords(place, {
  ...{ connections: 4, auditKey },
  // Whoever was not told finds them by looking, a second later.
  onEvents: () => void callPrimary("onEvents").catch(() => undefined),
})
async function open(): Promise<RecordsWriter> {
  const records = await opening
  return {
    ...records,
    async addQueued(text) {
      const { reviews, events } = rowsAbout(readQueued(text))
      await records.addReviews(reviews, events)
    },
  }
}
serve(channel, offer(recordsWriterPort, open()))
collectOnceQuiet()
