import type { NumberType } from "@assay/core/identity"

/** What a provider can be asked about a number. */
export const SIGNAL_NAMES = [
  "line_type",
  "carrier",
  "active",
  "sim_change",
  "device_change",
  "ported",
  "recycled",
  "tenure",
  "number_verified",
  "identity_match",
  "call_forwarding",
  "roaming",
  "reachable",
  "traffic_risk",
] as const
export type SignalName = (typeof SIGNAL_NAMES)[number]

/**
 * How asking ended. Only `ok` and `partial` carry a value; everything else means that nothing is
 * known, and never that nothing happened. `partial` is a value with a limit to it, such as no date
 * but "not in the last ten days".
 */
export const SIGNAL_STATUSES = [
  "ok",
  "partial",
  "no_coverage",
  "not_found",
  "not_applicable",
  "consent_required",
  "unauthorized",
  "rate_limited",
  "timeout",
  "error",
] as const
export type SignalStatus = (typeof SIGNAL_STATUSES)[number]

/** What a source says of the last time something changed. */
export type LastChange =
  /** At this moment, as exact as `precision` says. */
  | { readonly at: string }
  /** In the last `withinHours`, and not in the last `notWithinHours` if that is known. */
  | { readonly withinHours: number; readonly notWithinHours: number | null }
  /** Not in `coveredWindow`, which says nothing of the time before. */
  | { readonly none: true }

/** The value of each signal. */
export interface SignalValues {
  readonly line_type: NumberType
  readonly carrier: { readonly name: string | null; readonly region: string | null }
  /**
   * Whether the subscription takes part in the network. A handset that is switched off is another
   * matter.
   */
  readonly active: boolean
  readonly sim_change: LastChange
  readonly device_change: LastChange
  readonly ported: LastChange
  /** Whether the number went to somebody else since the date that was asked about. */
  readonly recycled: boolean
  /** For how long the subscriber has had the number; null where a bound is not known. */
  readonly tenure: {
    readonly atLeastDays: number | null
    readonly lessThanDays: number | null
    readonly contract: "prepaid" | "postpaid" | null
  }
  readonly number_verified: boolean
  readonly identity_match: boolean
  /** Whether all calls go elsewhere; forwarding when busy or out of reach is not meant. */
  readonly call_forwarding: boolean
  readonly roaming: { readonly roaming: boolean; readonly country: string | null }
  /** Whether the handset can be reached right now. */
  readonly reachable: boolean
  /** 0 to 1, as a provider rates the traffic of a number. */
  readonly traffic_risk: number
}

/** How exact a value is. */
export type Precision = "instant" | "hour" | "day" | "band" | "boolean"

/** What one provider says of one signal. Holds no number, so that it may be shown and kept. */
export interface SignalResult<Name extends SignalName = SignalName> {
  readonly signal: Name
  readonly status: SignalStatus
  readonly value?: SignalValues[Name]
  /** The provider's id. */
  readonly source: string
  /** When it was asked, RFC 3339. */
  readonly observedAt: string
  /** The time the provider says the value is from, if it says one. */
  readonly asOf?: string
  readonly precision?: Precision
  /** What a "no" covers: `<n>h` or `<n>d`. */
  readonly coveredWindow?: string
  /** The provider's own word for what went wrong. Never a text that could hold a number. */
  readonly providerCode?: string
  readonly billable?: boolean
  readonly latencyMs?: number
}

export interface NumberAsked {
  readonly e164: string
  /** ISO 3166-1 alpha-2, `ZZ` where the number has none. */
  readonly region: string
}

export interface SignalRequest {
  readonly e164: string
  readonly signals: readonly SignalName[]
  /** The outer window of SIM changes that matter, in hours, for providers that answer yes or no. */
  readonly simWindowHours: number
  /**
   * Since when the number is known to be in the same hands, RFC 3339; null where that is not known.
   */
  readonly sinceDate: string | null
  /** For the provider's support desk: random, and never derived from the number. */
  readonly correlationId: string
  readonly abort: AbortSignal
}

/** One carrier or vendor that can be asked. Numbers leave the machine here and nowhere else. */
export interface PhoneSignalProvider {
  /**
   * Its name in metrics, explanations and costs: the key of its settings, then `:NAME` of several.
   */
  readonly id: string
  /** Beginnings of the numbers it is asked about; null: every number. */
  readonly ranges: readonly string[] | null
  /** Time a call has in milliseconds, where the settings say. */
  readonly timeoutMs?: number | undefined
  /** What it can be asked about this number. No network call. */
  capabilities(number: NumberAsked): readonly SignalName[]
  /**
   * Splits signals into those that one call answers together, so that an answer is not kept waiting
   * for another.
   */
  calls(signals: readonly SignalName[]): readonly (readonly SignalName[])[]
  /** The most one call for these can cost, in millionths of the unit prices are set in. */
  priceMicros(signals: readonly SignalName[]): number
  /**
   * Asks once, and answers for every signal that was asked for: what went wrong is a status, never
   * a rejection. Retries and time limits are the caller's, by `abort`.
   */
  fetch(request: SignalRequest): Promise<readonly SignalResult[]>
  /**
   * Whether it can be spoken to at all: credentials are taken. Names no number. Throws with a
   * sentence where not.
   */
  check(abort: AbortSignal): Promise<void>
  close(): void
}
