import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { offer, openCalls, serve } from "@assay/runtime/rpc"
import { openRecords } from "@assay/stores/open/open-database"
import { recordsPort, type RecordsThreadData } from "./ports.ts"

if (parentPort === null) throw new Error("records-thread runs as a thread of the primary process")
const { auditKey, ...place } = workerData as RecordsThreadData
const channel = threadChannel(parentPort)
const callPrimary = openCalls(channel)(30_000)
const opening = openRecords(place, {
  ...{ connections: 4, auditKey },
  // Whoever was not told finds them by looking, a second later.
  onEvents: () => void callPrimary("onEvents").catch(() => undefined),
})
serve(channel, offer(recordsPort, opening))
