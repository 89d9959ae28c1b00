import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import type { LastChange, SignalName, SignalResult, SignalStatus } from "./signals.ts"
import type { Refusal } from "./refusals.ts"

const SECOND_MS = 1000
const MINUTE_MS = 60_000

/** A thief of a number acts within minutes of the change, so "no change" is soon worth nothing. */
const NO_CHANGE_MS = 5 * MINUTE_MS
/** A change that matters already cannot be undone by a newer one. */
const CHANGE_MS = 15 * MINUTE_MS
/** A date older than this is as good as "no change", and is out of date as soon. */
const RECENT_HOURS = 240

/**
 * How long an answer holds. What moves with a handset or a setting of the line is asked for again
 * soon.
 */
const VALUE_MS: Readonly<Record<SignalName, number>> = {
  line_type: DAY_MS,
  carrier: DAY_MS,
  active: 5 * MINUTE_MS,
  sim_change: NO_CHANGE_MS,
  device_change: NO_CHANGE_MS,
  ported: NO_CHANGE_MS,
  recycled: DAY_MS,
  tenure: DAY_MS,
  number_verified: 5 * MINUTE_MS,
  identity_match: DAY_MS,
  call_forwarding: 5 * MINUTE_MS,
  roaming: 15 * MINUTE_MS,
  reachable: 5 * MINUTE_MS,
  traffic_risk: 5 * MINUTE_MS,
}

/**
 * How long the lack of an answer holds, so that a number nobody can answer for is not paid for with
 * every request.
 */
const FAILURE_MS: Readonly<Record<Exclude<SignalStatus, "ok" | "partial">, number>> = {
  no_coverage: 60 * SECOND_MS,
  not_found: 60 * SECOND_MS,
  not_applicable: 60 * SECOND_MS,
  consent_required: 60 * SECOND_MS,
  unauthorized: 30 * SECOND_MS,
  rate_limited: 15 * SECOND_MS,
  error: 15 * SECOND_MS,
  // The next request may be lucky.
  timeout: 0,
}

// Each of these is found again at once, and ends at a moment that a kept answer would outlast.
const NOT_KEPT: ReadonlySet<string | undefined> = new Set<Refusal>([
  "paused",
  "queue_full",
  "breaker_open",
  "not_counted",
  "stopping",
])

/** How long to remember an answer; 0: not at all. */
export function keepMs(result: SignalResult): number {
  const { signal, status, value } = result
  if (status !== "ok" && status !== "partial")
    return NOT_KEPT.has(result.providerCode) ? 0 : FAILURE_MS[status]
  return isRecentChange(result, value) ? CHANGE_MS : VALUE_MS[signal]
}

function isRecentChange({ signal, observedAt }: SignalResult, value: unknown): boolean {
  if (signal !== "sim_change" && signal !== "device_change" && signal !== "ported") return false
  const change = value as LastChange | undefined
  if (change === undefined || "none" in change) return false
  if ("withinHours" in change) return change.withinHours <= RECENT_HOURS
  return Date.parse(observedAt) - Date.parse(change.at) <= RECENT_HOURS * HOUR_MS
}
