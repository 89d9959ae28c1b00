// A tenant in a thread of its own: what it measures must not contain the garbage collections of the
// test, which keeps everything the service prints.
import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { offer, serve } from "@assay/runtime/rpc"
import { openTenant, tenantPort } from "./tenant.ts"

if (parentPort === null) throw new Error("This runs as a thread")
const { port, key, name } = workerData as TenantOptions
serve(threadChannel(parentPort), offer(tenantPort, openTenant(port, key, name)))

export interface TenantOptions {
  readonly port: number
  readonly key: string
  readonly name: string
}
