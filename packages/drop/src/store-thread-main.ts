import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { collectOnceQuiet } from "@assay/runtime/collect-garbage"
import { offer, serve } from "@assay/runtime/rpc"
import { dropsPort } from "./store/drops.ts"
import { openSqliteDrops } from "./store/sqlite-drops.ts"

if (parentPort === null) throw new Error("store-thread-main runs as a thread of the drop process")
const drops = openSqliteDrops(workerData as string)
serve(threadChannel(parentPort), offer(dropsPort, drops))
collectOnceQuiet()
