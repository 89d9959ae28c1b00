import type { PhoneSignals } from "../providers/phone-signals.ts"
import type { SignalName, SignalResult, SignalStatus } from "../providers/signals.ts"

/**
 * One answer of a provider as an explanation shows it: always with the same members, and never with
 * a number.
 */
export interface ExplainedSignal {
  readonly signal: SignalName
  readonly status: SignalStatus
  readonly source: string
  readonly value: unknown
  readonly precision: string | null
  readonly covered_window: string | null
  /** As of when the provider says it is. */
  readonly as_of: string | null
  /** When it was asked; earlier than the request where the answer was remembered. */
  readonly observed_at: string
  readonly provider_code: string | null
}

export function explainedSignals({ state, results }: PhoneSignals): {
  readonly state: PhoneSignals["state"]
  readonly results: readonly ExplainedSignal[]
} {
  return { state, results: results.map(explainedSignal) }
}

function explainedSignal(result: SignalResult): ExplainedSignal {
  return {
    signal: result.signal,
    status: result.status,
    source: result.source,
    value: result.value ?? null,
    precision: result.precision ?? null,
    covered_window: result.coveredWindow ?? null,
    as_of: result.asOf ?? null,
    observed_at: result.observedAt,
    provider_code: result.providerCode ?? null,
  }
}

/** What carriers and vendors could not provide, and why: a sentence each. */
export function signalNotes({ state, results }: PhoneSignals): string[] {
  if (state === "off") return ["No operator or vendor is connected"]
  if (state === "not_allowed")
    return [
      "Operators and vendors were not asked: the plan or the tenant's settings do not allow it",
    ]
  if (state === "failed") return ["Operators and vendors could not be asked"]
  if (results.length === 0) return ["No operator or vendor can be asked about this number"]
  return results
    .filter(({ status }) => status !== "ok" && status !== "partial")
    .map(
      (result) =>
        `${SIGNALS[result.signal]} not available from ${result.source}: ${whyNot(result)}`,
    )
}

function whyNot({ status, providerCode }: SignalResult): string {
  return OWN_REASONS.get(providerCode) ?? REASONS[status]
}

/** Our own words in place of a provider's code: nobody was asked. */
const OWN_REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ["cost_cap", "the daily cap of costs is reached"],
  ["paused", "it was asked too often and takes a pause"],
  ["queue_full", "too many questions wait for it"],
  ["breaker_open", "it failed several times and is left alone for a while"],
  ["not_counted", "its cost could not be counted"],
  ["stopping", "the service is stopping"],
  ["no_date", "it is asked only where a last verification is known"],
])

const REASONS: Readonly<Record<SignalStatus, string>> = {
  ok: "answered",
  partial: "answered in part",
  no_coverage: "the number is not covered",
  not_found: "the number is not known there",
  not_applicable: "it cannot be asked about this number",
  consent_required: "it needs the consent of the person",
  unauthorized: "access was refused",
  rate_limited: "too many requests",
  timeout: "no answer in time",
  error: "asking failed",
}

const SIGNALS: Readonly<Record<SignalName, string>> = {
  line_type: "Line type",
  carrier: "Carrier",
  active: "State of the line",
  sim_change: "SIM change",
  device_change: "Change of device",
  ported: "Change of carrier",
  recycled: "Change of subscriber",
  tenure: "Tenure",
  number_verified: "Verification of the number",
  identity_match: "Match of the identity",
  call_forwarding: "Call forwarding",
  roaming: "Roaming",
  reachable: "Reachability",
  traffic_risk: "Risk of traffic",
}
