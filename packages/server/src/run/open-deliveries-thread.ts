import { extname } from "node:path"
import type { Log } from "@assay/runtime/log"
import { Explained } from "@assay/runtime/explained"
import { type Children, keepChildren, startThread } from "@assay/runtime/children"
import { type Call, offer, remote } from "@assay/runtime/rpc"
import type { Deliveries } from "../http/feature.ts"
import type { StreamOutbox } from "../shared-signals/sender.ts"
import type { Outbox } from "../webhooks/deliverer.ts"
import { type DeliveriesThreadData, deliveriesPort, outboxPort } from "./ports.ts"

/** The thread that calls webhooks, as the primary reaches it. */
export interface DeliveriesThread extends Deliveries {
  /** Deliveries may have been added: has them looked for if there is a thread. */
  look(): Promise<void>
  /** The thread's registry, as JSON; null while there is no thread. */
  metrics(): Promise<object | null>
  /** Waits for what is being sent, and ends the thread. */
  close(): Promise<void>
}

export interface DeliveriesThreadOptions {
  readonly data: DeliveriesThreadData
  readonly outbox: Outbox & StreamOutbox
  readonly log: Log
}

const CALL_MS = 2_000
/** Beyond the time that a receiver has, for the records. */
const SPARE_MS = 5_000

/** Starts the thread when it is first needed, and keeps one running from then on. */
export function openDeliveriesThread(options: DeliveriesThreadOptions): DeliveriesThread {
  const attemptMs = options.data.timeoutSeconds * 1000 + SPARE_MS
  let threads: Promise<Children<true>> | null = null
  let closed = false
  const begun = async (): Promise<Children<true>> => {
    if (closed) throw new Explained("stopping", "The service stops")
    threads ??= startThreads(options, attemptMs)
    try {
      return await threads
    } catch (error) {
      // Whoever needs it next tries again.
      threads = null
      throw error
    }
  }
  const within =
    (timeoutMs: number): Call =>
    async (method, ...args) =>
      await (await begun()).within(timeoutMs)(method, ...args)
  const soon = remote(deliveriesPort, within(CALL_MS))
  const patient = remote(deliveriesPort, within(attemptMs))
  return {
    async begin() {
      await begun()
    },
    refusalOf: (url) => patient.refusalOf(url),
    proofOf: (wanted) => patient.proofOf(wanted),
    shoot: (shot) => patient.shoot(shot),
    async look() {
      if (threads !== null) await soon.look()
    },
    // To be scraped is no reason to start it.
    metrics: async () => (threads === null ? null : await soon.metrics().catch(() => null)),
    async close() {
      closed = true
      await (await threads?.catch(() => null))?.stop()
    },
  }
}

async function startThreads(
  { data, outbox, log }: DeliveriesThreadOptions,
  stopMs: number,
): Promise<Children<true>> {
  const module = new URL(`./deliveries-thread${extname(import.meta.filename)}`, import.meta.url)
  return await keepChildren<true>({
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
    stopMs,
    silentMs: null,
    log,
  })
}
