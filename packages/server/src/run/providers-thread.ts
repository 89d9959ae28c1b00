import { Registry } from "prom-client"
import { parentPort, workerData } from "node:worker_threads"
import { Explained, isExplained } from "@assay/runtime/explained"
import { threadChannel } from "@assay/runtime/channels"
import { offer, openCalls, remote, serve } from "@assay/runtime/rpc"
import { openProviderAsker } from "../score/phone/provider-asker.ts"
import type { ProviderSettings } from "../score/phone/providers.ts"
import type { ProviderAsker } from "../score/providers/ask-providers.ts"
import { openProviderMetrics } from "../score/providers/provider-metrics.ts"
import { providersPort, spendingPort } from "./ports.ts"

/**
 * The records are asked before a call is made; one that waits longer is no longer of use to
 * anybody.
 */
const SPEND_MS = 2_000

if (parentPort === null) throw new Error("providers-thread runs as a thread of the primary process")
const channel = threadChannel(parentPort)
const within = openCalls(channel)
const registry = new Registry()

function open(): ProviderAsker | Explained {
  try {
    return openProviderAsker({
      settings: workerData as ProviderSettings,
      spending: remote(spendingPort, within(SPEND_MS)),
      metricsOf: openProviderMetrics(registry),
    })
  } catch (error) {
    if (isExplained(error, "settings-file")) return error
    throw error
  }
}

const asker = open()
if (asker instanceof Explained) await within(5000)("unable", asker.message)
else {
  serve(channel, {
    stop: async () => asker.close(),
    ...offer(providersPort, {
      look: asker.look,
      forget: async (key) => asker.forget(key),
      forgetAll: async () => asker.forgetAll(),
      metrics: async () => await registry.getMetricsAsJSON(),
    }),
  })
  await within(5000)("ready", true)
}
