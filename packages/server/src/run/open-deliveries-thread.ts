import { extname } from "node:path"
import type { Log } from "@assay/runtime/log"
import { Explained } from "@assay/runtime/explained"
import { keepChildren, startThread } from "@assay/runtime/children"
import { offer, remote } from "@assay/runtime/rpc"
import type { Deliveries } from "../http/feature.ts"
import type { Outbox } from "../webhooks/deliverer.ts"
import { type DeliveriesThreadData, deliveriesPort, outboxPort } from "./ports.ts"

/** The thread that calls webhooks, as the primary reaches it. */
export interface DeliveriesThread extends Deliveries {
  /** The thread's registry, as JSON; null while there is no thread. */
  metrics(): Promise<object | null>
  /** Waits for what is being sent, and ends the thread. */
  close(): Promise<void>
}

export interface DeliveriesThreadOptions {
  readonly data: DeliveriesThreadData
  readonly outbox: Outbox
  readonly log: Log
}

const CALL_MS = 2_000
/** Beyond the time that a receiver has, for the records. */
const SPARE_MS = 5_000

/** Starts the thread and keeps one running. */
export async function openDeliveriesThread({
  data,
  outbox,
  log,
}: DeliveriesThreadOptions): Promise<DeliveriesThread> {
  const module = new URL(`./deliveries-thread${extname(import.meta.filename)}`, import.meta.url)
  const attemptMs = data.timeoutSeconds * 1000 + SPARE_MS
  const threads = await keepChildren<true>({
    name: "thread that calls webhooks",
    start: () => ({
      ...startThread(module, data, (error) =>
        log.error("the thread that calls webhooks failed", { error }),
      ),
      methods: {
        ...offer(outboxPort, outbox),
        failed: async (message: string) =>
          log.warn("an event could not be delivered, or that not be noted; it is sent again", {
            error: new Explained("deliveries", message),
          }),
      },
    }),
    unable: (why) => new Explained("start", why),
    stopMs: attemptMs,
    silentMs: null,
    log,
  })
  const soon = remote(deliveriesPort, threads.within(CALL_MS))
  const patient = remote(deliveriesPort, threads.within(attemptMs))
  return {
    refusalOf: (url) => patient.refusalOf(url),
    proofOf: (wanted) => patient.proofOf(wanted),
    shoot: (shot) => patient.shoot(shot),
    metrics: () => soon.metrics().catch(() => null),
    close: threads.stop,
  }
}
