import { extname } from "node:path"
import { wrongSettings } from "../base/config.ts"
import type { Log } from "@assay/runtime/log"
import type { SignalLookup } from "../score/providers/phone-signals.ts"
import { BUDGET_MS } from "../score/providers/provider-limits.ts"
import type { ProviderSettings } from "../score/phone/providers.ts"
import type { Spending } from "../score/providers/spending.ts"
import { keepChildren, startThread } from "@assay/runtime/children"
import { offer, remote } from "@assay/runtime/rpc"
import { providersPort, spendingPort } from "./ports.ts"

/** The thread that asks providers, as the primary reaches it. */
export interface ProvidersThread {
  /** Rejects while there is no thread; the caller decides what that means. */
  readonly look: SignalLookup["look"]
  /** Drops what is remembered of an identity, because it has just changed. Never rejects. */
  forget(key: string): Promise<void>
  /** Drops all that is remembered. Never rejects: without a thread nothing is remembered. */
  forgetAll(): Promise<void>
  /** The thread's registry, as JSON; null while there is no thread. */
  metrics(): Promise<object | null>
  /** Ends calls under way, and the thread. */
  close(): Promise<void>
}

export interface ProvidersThreadOptions {
  readonly settings: ProviderSettings
  readonly spending: Spending
  readonly log: Log
}

const CALL_MS = 2_000

/**
 * Starts the thread and keeps one running. Throws Explained `config` where the settings turn out to
 * be of no use.
 */
export async function openProvidersThread(
  options: ProvidersThreadOptions,
): Promise<ProvidersThread> {
  const { settings, spending, log } = options
  const module = new URL(`./providers-thread${extname(import.meta.filename)}`, import.meta.url)
  const threads = await keepChildren<true>({
    name: "thread that asks providers",
    start: () => ({
      ...startThread(module, settings, (error) =>
        log.error("the thread that asks providers failed", { error }),
      ),
      methods: offer(spendingPort, spending),
    }),
    unable: (why) => wrongSettings(`ASSAY_PROVIDERS names settings that cannot be used: ${why}`),
    stopMs: CALL_MS,
    silentMs: null,
    log,
  })
  const providers = remote(providersPort, threads.within(CALL_MS))
  // Longer than a worker's own limit: by then the asker has given up.
  const lookMs = (settings.budget_ms ?? BUDGET_MS) + CALL_MS
  return {
    look: remote(providersPort, threads.within(lookMs)).look,
    async forget(key) {
      // If this fails, the change is still in the index, which counts beside the remembered answer.
      await providers
        .forget(key)
        .catch((error: unknown) =>
          log.warn("what providers said of an identity was not forgotten", { error }),
        )
    },
    forgetAll: () =>
      providers
        .forgetAll()
        .catch((error: unknown) => log.warn("what providers said was not forgotten", { error })),
    metrics: () => providers.metrics().catch(() => null),
    close: threads.stop,
  }
}
