import { Registry } from "prom-client"
import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { openGuardedPosts } from "@assay/runtime/outbound/guarded-post"
import { offer, openCalls, remote, serve } from "@assay/runtime/rpc"
import { VERSION } from "../base/version.ts"
import { openNameService } from "../score/email/network/name-service.ts"
import { countPushes } from "../shared-signals/push-metrics.ts"
import { openStreamSender } from "../shared-signals/sender.ts"
import { openDomainProofs } from "../watch/domain-proofs.ts"
import { openDeliverer } from "../webhooks/deliverer.ts"
import { openDeliveryMetrics } from "../webhooks/delivery-metrics.ts"
import { type DeliveriesThreadData, deliveriesPort, outboxPort } from "./ports.ts"

/** As long as the records may take for anything. */
const RECORDS_MS = 30_000
/** Of an answer, kept in the log. */
const RESPONSE_BYTES = 1_000

if (parentPort === null)
  throw new Error("deliveries-thread runs as a thread of the primary process")
const channel = threadChannel(parentPort)
const within = openCalls(channel)
const { allowed, retrySeconds, timeoutSeconds, dns, ssfOrigin, subkeys } =
  workerData as DeliveriesThreadData
const outbox = remote(outboxPort, within(RECORDS_MS))
const registry = new Registry()
const metrics = openDeliveryMetrics(registry, () => outbox.pendingDeliveries())
const timeoutMs = timeoutSeconds * 1000

/** If the primary is not there to be told, nobody is. */
function tellFailure(error: unknown): void {
  void within(RECORDS_MS)("failed", (error as Error).message).catch(() => undefined)
}

const posts = openGuardedPosts({ allowed, timeoutMs, bodyBytesMax: RESPONSE_BYTES })
const proofOf = openDomainProofs({ names: dns && openNameService(dns), posts })

const deliverer = openDeliverer({
  outbox,
  posts,
  subkeys,
  retryMs: retrySeconds.map((seconds) => seconds * 1000),
  timeoutMs,
  version: VERSION,
  now: Date.now,
  countAttempt: metrics.countAttempt,
  failed: tellFailure,
})

const sender =
  ssfOrigin === null
    ? null
    : openStreamSender({
        outbox,
        posts,
        subkeys,
        origin: ssfOrigin,
        timeoutMs,
        version: VERSION,
        now: Date.now,
        countPush: countPushes(registry),
        failed: tellFailure,
      })

serve(channel, {
  async stop() {
    // The deliverer closes what both send by.
    await sender?.stop()
    await deliverer.stop()
  },
  ...offer(deliveriesPort, {
    refusalOf: (url) => deliverer.refusalOf(url),
    proofOf,
    shoot: (shot) => deliverer.shoot(shot),
    async look() {
      deliverer.look()
      sender?.look()
    },
    metrics: async () => await registry.getMetricsAsJSON(),
  }),
})
await within(5000)("ready", true)
