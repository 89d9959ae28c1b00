import type { ProviderMetrics } from "../providers/provider-metrics.ts"
import { askProviders, type ProviderAsker } from "../providers/ask-providers.ts"
import { openProviders, type ProviderSettings } from "./providers.ts"
import { type Clock, openProviderCalls } from "../providers/provider-calls.ts"
import {
  ANSWERS_MAX,
  BUDGET_MS,
  PROVIDER_LIMITS,
  TIMEOUT_MS,
} from "../providers/provider-limits.ts"
import { MICROS } from "@assay/stores/micros"
import type { Spending } from "../providers/spending.ts"

export interface ProviderAskerOptions {
  readonly settings: ProviderSettings
  readonly spending: Spending
  readonly metricsOf: (provider: string) => ProviderMetrics
}

/**
 * Everybody the settings name, asked as they say. Throws `settingsFault` where a key cannot
 * be used.
 */
export function openProviderAsker(options: ProviderAskerOptions): ProviderAsker {
  const { settings, spending, metricsOf } = options
  const clock: Clock = { now: () => performance.now(), date: () => new Date().toISOString() }
  const providers = openProviders(settings, Date.now).map((provider) =>
    openProviderCalls({
      provider,
      timeoutMs: provider.timeoutMs ?? TIMEOUT_MS,
      tenantCapMicros: Math.round(settings.tenant_daily_cap * MICROS),
      spending,
      limits: PROVIDER_LIMITS,
      metrics: metricsOf(provider.id),
      clock,
    }),
  )
  return askProviders({
    providers,
    budgetMs: settings.budget_ms ?? BUDGET_MS,
    answersMax: ANSWERS_MAX,
    clock,
  })
}
