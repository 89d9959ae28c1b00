import { Counter, Gauge, Histogram, type Registry } from "prom-client"
import type { SignalStatus } from "./signals.ts"
import { REFUSALS, type Refusal } from "./refusals.ts"

/** What is counted of one provider. No label may carry more than its id and a status. */
export interface ProviderMetrics {
  countCall(outcome: SignalStatus, seconds: number): void
  countNotAsked(reason: Refusal): void
  countRetry(): void
  countCost(micros: number): void
  /** A request was answered before a signal it had asked for was there. */
  countLate(): void
  showBreaker(open: boolean): void
}

/** Metrics of the thread that asks providers; each provider's start at zero. */
export function openProviderMetrics(registry: Registry): (provider: string) => ProviderMetrics {
  const registers = [registry]
  const byProvider = { labelNames: ["provider"] as const, registers }
  const calls = new Counter({
    name: "assay_provider_calls_total",
    help: "Calls to providers of phone signals, second tries included; ok where a call brought any signal.",
    labelNames: ["provider", "outcome"] as const,
    registers,
  })
  const seconds = new Histogram({
    name: "assay_provider_seconds",
    help: "Time a call to a provider of phone signals took.",
    buckets: [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2, 5],
    ...byProvider,
  })
  const notAsked = new Counter({
    name: "assay_provider_not_asked_total",
    help: "Calls to providers of phone signals that were not made, by what kept us from them.",
    labelNames: ["provider", "reason"] as const,
    registers,
  })
  const retries = new Counter({
    name: "assay_provider_retries_total",
    help: "Second tries among the calls to providers of phone signals.",
    ...byProvider,
  })
  const cost = new Counter({
    name: "assay_provider_cost_micros_total",
    help: "What calls to providers of phone signals may have cost, in millionths of the unit prices are set in.",
    ...byProvider,
  })
  const late = new Counter({
    name: "assay_provider_late_total",
    help: "Signals that were not there when the request that had asked for them was answered.",
    ...byProvider,
  })
  const breakers = new Gauge({
    name: "assay_provider_breaker_open",
    help: "1 while a provider of phone signals is not asked because it failed several times in a row.",
    ...byProvider,
  })
  return (provider) => {
    const breaker = breakers.labels(provider)
    breaker.set(0)
    calls.inc({ provider, outcome: "ok" }, 0)
    for (const reason of REFUSALS) notAsked.inc({ provider, reason }, 0)
    for (const counter of [retries, cost, late]) counter.inc({ provider }, 0)
    return {
      countCall(outcome, tookSeconds) {
        calls.inc({ provider, outcome })
        seconds.observe({ provider }, tookSeconds)
      },
      countNotAsked: (reason) => notAsked.inc({ provider, reason }),
      countRetry: () => retries.inc({ provider }),
      countCost: (micros) => cost.inc({ provider }, micros),
      countLate: () => late.inc({ provider }),
      showBreaker: (open) => breaker.set(open ? 1 : 0),
    }
  }
}
