import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { ConfigError } from "../base/config.ts"
import type { Log } from "@assay/runtime/log"
import type { PhoneSignals, SignalDesk } from "../score/providers/phone-signals.ts"
import { BUDGET_MS } from "../score/providers/provider-limits.ts"
import type { ProviderSettings } from "../score/phone/providers.ts"
import type { Spending } from "../score/providers/spending.ts"
import { threadChannel } from "@assay/runtime/channels"
import { serve, type Call, openCalls } from "@assay/runtime/rpc"

/** The thread that asks providers, as the primary reaches it. */
export interface ProvidersDesk {
  /** Rejects while there is no thread: its caller says what that means. */
  readonly look: SignalDesk["look"]
  /** Drops what is remembered of an identity, because it has just changed. Never rejects. */
  forget(key: string): Promise<void>
  /** The thread's registry, as JSON; null while there is no thread. */
  metrics(): Promise<object | null>
  /** Ends calls under way, and the thread. */
  close(): Promise<void>
}

export interface ProvidersDeskOptions {
  readonly settings: ProviderSettings
  readonly spending: Spending
  readonly log: Log
}

interface Running {
  readonly thread: Worker
  readonly within: (timeoutMs: number) => Call
}

const START_MS = 30_000
const CALL_MS = 2_000
/** A thread that dies is replaced, but one that keeps dying does not turn into a busy loop. */
const RESPAWN_MS = 1_000

/**
 * Starts the thread and keeps one running. Throws a ConfigError where the settings turn out to be
 * of no use.
 */
export async function openProvidersDesk(options: ProvidersDeskOptions): Promise<ProvidersDesk> {
  const { settings, spending, log } = options
  const entry = new URL(`./providers-thread${extname(import.meta.filename)}`, import.meta.url)
  // By then whoever asked has given up; a worker's own limit is tighter.
  const lookMs = (settings.budget_ms ?? BUDGET_MS) + CALL_MS
  let closing = false
  let respawning: NodeJS.Timeout | undefined

  function start(): Running {
    const thread = new Worker(entry, { workerData: settings })
    // Without a listener a fault of the thread's would end the primary, and the service with it.
    thread.on("error", (error) => log.error("the thread that asks providers failed", { error }))
    thread.once("exit", (exitCode) => {
      if (closing) return
      log.error("the thread that asks providers ended and is replaced", { exitCode })
      respawning = setTimeout(() => {
        running = start()
      }, RESPAWN_MS)
    })
    const channel = threadChannel(thread)
    serve(channel, { spend: spending.spend })
    return { thread, within: openCalls(channel) }
  }

  async function close(): Promise<void> {
    closing = true
    clearTimeout(respawning)
    await running
      .within(CALL_MS)("close")
      .catch((error: unknown) => log.warn("calls to providers were not ended", { error }))
    await running.thread.terminate()
  }

  let running = start()
  try {
    const fault = (await running.within(START_MS)("fault")) as string | null
    if (fault !== null)
      throw new ConfigError([`ASSAY_PROVIDERS names settings that cannot be used: ${fault}`])
  } catch (error) {
    await close()
    throw error
  }
  return {
    look: async (question) => (await running.within(lookMs)("look", question)) as PhoneSignals,
    async forget(key) {
      // A change that is not told of here is still in the index, which counts beside what is
      // remembered.
      await running
        .within(CALL_MS)("forget", key)
        .catch((error: unknown) =>
          log.warn("what providers said of an identity was not forgotten", { error }),
        )
    },
    metrics: async () =>
      (await running
        .within(CALL_MS)("metrics")
        .catch(() => null)) as object | null,
    close,
  }
}
