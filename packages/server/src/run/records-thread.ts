import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { offer, serve } from "@assay/runtime/rpc"
import type { DatabasePlace } from "@assay/stores/database"
import { openRecords } from "@assay/stores/open/open-database"
import { recordsPort } from "./ports.ts"

if (parentPort === null) throw new Error("records-thread runs as a thread of the primary process")
const opening = openRecords(workerData as DatabasePlace, { connections: 4 })
serve(threadChannel(parentPort), offer(recordsPort, opening))
