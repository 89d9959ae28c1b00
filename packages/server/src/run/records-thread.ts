import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { offer, serve } from "@assay/runtime/rpc"
import { openRecords } from "@assay/stores/open/open-database"
import { recordsPort, type RecordsThreadData } from "./ports.ts"

if (parentPort === null) throw new Error("records-thread runs as a thread of the primary process")
const { auditKey, ...place } = workerData as RecordsThreadData
const opening = openRecords(place, { connections: 4, auditKey })
serve(threadChannel(parentPort), offer(recordsPort, opening))
