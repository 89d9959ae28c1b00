import { Registry } from "prom-client"
import { parentPort, workerData } from "node:worker_threads"
import { openProviderMetrics } from "../score/providers/provider-metrics.ts"
import type { SignalQuestion } from "../score/providers/phone-signals.ts"
import type { ProviderAsker } from "../score/providers/ask-providers.ts"
import { openProviderAsker } from "../score/phone/provider-asker.ts"
import type { ProviderSettings } from "../score/phone/providers.ts"
import { ProviderSettingsError } from "../score/providers/provider-kind.ts"
import type { Spend } from "../score/providers/spending.ts"
import { threadChannel } from "@assay/runtime/channels"
import { serve, openCalls } from "@assay/runtime/rpc"

/**
 * The records are asked before a call is made; one that waits longer is no longer of use to
 * anybody.
 */
const SPEND_MS = 2_000

if (parentPort === null) throw new Error("providers-thread runs as a thread of the primary process")
const channel = threadChannel(parentPort)
const callPrimary = openCalls(channel)(SPEND_MS)
const registry = new Registry()

async function open(): Promise<ProviderAsker> {
  return openProviderAsker({
    settings: workerData as ProviderSettings,
    spending: { spend: async (spend: Spend) => (await callPrimary("spend", spend)) as boolean },
    metricsOf: openProviderMetrics(registry),
  })
}

/** Calls wait for the opening, so its failure reaches whoever called first. */
const opening = open()

/** What of the settings cannot be used; null: nothing. */
async function fault(): Promise<string | null> {
  try {
    await opening
    return null
  } catch (error) {
    if (error instanceof ProviderSettingsError) return error.message
    throw error
  }
}

serve(channel, {
  fault,
  look: async (question: SignalQuestion) => await (await opening).look(question),
  forget: async (key: string) => (await opening).forget(key),
  metrics: async () => await registry.getMetricsAsJSON(),
  close: async () => (await opening).close(),
})
// Told to the first caller; until there is one, it must not end the process as unhandled.
opening.catch(() => undefined)
