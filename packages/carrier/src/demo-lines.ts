import type { SimSwapRisk } from "@assay/core/score"
import { DAY_MS, dayOf, HOUR_MS } from "@assay/runtime/time"
import type { LineScript, TrialFault } from "./script.ts"
import type { TwilioScript } from "./twilio-script.ts"

/** A number that shows one thing. */
export interface DemoLine<Script = LineScript> {
  readonly number: string
  readonly shows: string
  /** What `sim_swap_risk` comes to where nothing else is known of the number. */
  readonly simSwapRisk: SimSwapRisk
  /** Whether the answer says that SIM history was not available. */
  readonly historyMissing: boolean
  readonly script: Script
}

// Numbers that authorities set aside for fiction, in ranges that the settings of trials give to one
// provider each.

/** Of carriers, dated from now. */
export function demoLines(nowMs: number): readonly DemoLine[] {
  const hoursAgo = (hours: number): string => new Date(nowMs - hours * HOUR_MS).toISOString()
  const daysAgo = (days: number): string => hoursAgo(24 * days)
  const dayAgo = (days: number): string => dayOf(nowMs - days * DAY_MS)
  return [
    demoLine("+46701740611", "the same SIM for years", "none", {}),
    demoLine("+46701740612", "SIM changed 2 hours ago", "high", {
      sim: { changed_at: hoursAgo(2) },
    }),
    demoLine("+46701740613", "SIM changed 5 days ago", "elevated", {
      sim: { changed_at: daysAgo(5) },
    }),
    demoLine("+46701740614", "SIM changed 20 days ago", "low", {
      sim: { changed_at: daysAgo(20) },
    }),
    demoLine("+46701740615", "no SIM change in the 120 days the carrier keeps", "none", {
      sim: { history_days: 120 },
    }),
    untold("+46701740616", "no date, and not for how long the carrier looked", {
      sim: { history_days: "unsaid" },
    }),
    demoLine("+46701740617", "SIM and handset changed yesterday", "high", {
      sim: { changed_at: hoursAgo(26) },
      device: { changed_at: hoursAgo(25) },
    }),
    demoLine("+46701740618", "went to somebody else 60 days ago", "none", {
      sim: { changed_at: daysAgo(60) },
      recycled_on: dayAgo(60),
      tenure: { since: dayAgo(60) },
    }),
    demoLine("+46701740619", "all calls forwarded", "none", { forwarding: ["unconditional"] }),
    demoLine("+46701740620", "handset in another country", "none", {
      roaming: { mcc: 208, countries: ["FR"] },
    }),
    demoLine("+46701740621", "handset out of reach", "none", { reachable_by: [] }),
    demoLine("+46701740622", "services suspended", "none", {
      services: { voice_sms_in: "suspended", voice_sms_out: "suspended", data: "suspended" },
    }),
    demoLine("+46701740623", "a new customer, prepaid", "high", {
      sim: { changed_at: null },
      tenure: { since: dayAgo(1), contract: "PAYG" },
    }),
    demoLine("+46701740671", "yes or no: SIM changed in the last 24 hours", "high", {
      sim: { changed_at: hoursAgo(20), answers: "check" },
    }),
    demoLine("+46701740672", "yes or no: in the last 10 days, not in the last 3", "elevated", {
      sim: { changed_at: daysAgo(5), answers: "check" },
    }),
    demoLine("+46701740673", "yes or no: not in the last 10 days", "none", {
      sim: { answers: "check" },
    }),
    demoLine("+46701740674", "yes or no: law allows 3 days only, and it did not", "none", {
      sim: { answers: "check", look_back_hours: 72 },
    }),
    failing("+46701740681", "the carrier does not know the number", {
      kind: "error",
      status: 404,
      code: "IDENTIFIER_NOT_FOUND",
    }),
    failing("+46701740682", "the carrier's service is not for this number", {
      kind: "error",
      status: 422,
      code: "SERVICE_NOT_APPLICABLE",
    }),
    failing("+46701740683", "the subscriber has not agreed", {
      kind: "error",
      status: 403,
      code: "PERMISSION_DENIED",
    }),
    failing("+46701740684", "too many requests", {
      kind: "error",
      status: 429,
      code: "TOO_MANY_REQUESTS",
      retry_after_seconds: 5,
    }),
    failing("+46701740685", "the carrier is out of order", {
      kind: "error",
      status: 503,
      code: "UNAVAILABLE",
    }),
    failing("+46701740686", "an error page instead of an answer", { kind: "html", status: 502 }),
    failing("+46701740687", "an answer that is not JSON", { kind: "malformed" }),
    failing("+46701740688", "an answer with wrong types", { kind: "wrong_types" }),
    failing("+46701740689", "an answer that breaks off", { kind: "truncated" }),
    failing("+46701740690", "a connection that closes", { kind: "closed" }),
    failing("+46701740691", "an answer after 5 seconds", { kind: "late", latency_ms: 5000 }),
    failing("+46701740692", "tokens that are never taken", { kind: "expired_token" }),
    failing("+46701740693", "an answer far too long", { kind: "oversized" }),
    failing("+46701740694", "a redirect to somebody else", { kind: "redirect" }),
    untold("+46701740695", "a date that cannot be", {
      sim: { changed_at: "1900-01-01T00:00:00Z" },
    }),
  ]
}

/** Of Twilio, dated from now. */
export function demoTwilioLines(nowMs: number): readonly DemoLine<TwilioScript>[] {
  const changedAt = new Date(nowMs - 30 * HOUR_MS).toISOString()
  return [
    demoLine("+61491570313", "Twilio: SIM changed 30 hours ago", "high", {
      sim: { changed_at: changedAt },
    }),
    untold("+61491570006", "Twilio: a number of an internet service", {
      type: "nonFixedVoip",
      not_covered: ["sim_swap"],
    }),
    untold("+61491570737", "Twilio: an error", {
      faults: [{ kind: "error", status: 500, code: "20500" }],
    }),
  ]
}

function demoLine<Script>(
  number: string,
  shows: string,
  simSwapRisk: SimSwapRisk,
  script: Script,
): DemoLine<Script> {
  return { number, shows, simSwapRisk, historyMissing: false, script }
}

/**
 * When nothing is known of the SIM, the risk is low and the answer says that history is missing.
 */
function untold<Script>(number: string, shows: string, script: Script): DemoLine<Script> {
  return { number, shows, simSwapRisk: "low", historyMissing: true, script }
}

/**
 * Only SIM history fails. If every call to a provider failed, the service would soon stop asking
 * it, and the line would show nothing else.
 */
function failing(number: string, shows: string, fault: TrialFault): DemoLine {
  return untold(number, shows, { faults: [{ ...fault, api: "sim_swap" }] })
}
