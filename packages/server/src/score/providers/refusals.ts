import type { SignalName, SignalResult, SignalStatus } from "./signals.ts"

/**
 * Why a provider is not asked, and the status its signals have then: nothing is known, and nothing
 * was sent.
 */
const STATUSES = {
  /** A cap on what may be spent today is reached. */
  cost_cap: "rate_limited",
  /** The provider said that it was asked too often. */
  paused: "rate_limited",
  /** Too many questions wait for it already. */
  queue_full: "rate_limited",
  /** It failed several times in a row. */
  breaker_open: "error",
  /** The call could not be counted, and one that is not counted is not made. */
  not_counted: "error",
  stopping: "error",
} as const satisfies Record<string, SignalStatus>

export type Refusal = keyof typeof STATUSES

export const REFUSALS = Object.keys(STATUSES) as Refusal[]

export function refused(
  signals: readonly SignalName[],
  source: string,
  reason: Refusal,
  observedAt: string,
): SignalResult[] {
  const status = STATUSES[reason]
  return signals.map((signal) => ({ signal, status, source, observedAt, providerCode: reason }))
}
