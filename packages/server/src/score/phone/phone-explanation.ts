import type { ParsedPhone, SpecialNumber } from "@assay/core/identity"
import { explainPhone, type PhoneInput, type PhoneModel } from "@assay/core/score"
import type { Caller } from "../../accounts/callers.ts"
import { sourceLabels } from "../observations.ts"
import { HOUR_MS } from "@assay/runtime/time"
import type { SignalName, SignalResult, SignalStatus } from "../providers/signals.ts"
import { originalCarrier } from "./original-carriers.ts"
import type { PhoneContext } from "./phone-context.ts"
import type { PhoneEntries } from "./phone-entries.ts"
import type { PhoneSignals } from "../providers/phone-signals.ts"

/** What an answer about a number was made from. */
export interface ExplainedPhone {
  readonly parsed: ParsedPhone
  readonly input: PhoneInput
  readonly model: PhoneModel
  readonly entries: PhoneEntries
  /** Entries the answer does not rest on, because there were more than the index keeps. */
  readonly cut: number
  readonly signals: PhoneSignals
  readonly context: PhoneContext | null
  readonly accounts24h: number | null
  readonly caller: Caller
  readonly decisionId: string | null
}

const NOT_COUNTED = "Accounts that use the number could not be counted"

/** How the model came to its answer, and where everything it looked at came from. */
export function phoneExplanation(explained: ExplainedPhone): Record<string, unknown> {
  const { parsed, input, model, entries, cut, signals, context, accounts24h, caller, decisionId } =
    explained
  const scored = explainPhone(input, model)
  return {
    ...scored,
    notes: [
      ...scored.notes,
      ...(context !== null && accounts24h === null ? [NOT_COUNTED] : []),
      ...signalNotes(signals),
    ],
    number: numberFacts(parsed),
    evidence: explainedEvidence(entries, caller),
    entries_cut: cut,
    signals: explainedSignals(signals),
    decision_id: decisionId,
    ...(context === null ? {} : { context: explainedContext(context, entries, accounts24h) }),
  }
}

/**
 * Every observation except our own note that the tenant asked before: the phone model ignores it.
 */
function explainedEvidence({ visible }: PhoneEntries, caller: Caller): object[] {
  const sourceLabel = sourceLabels(caller)
  return visible
    .filter(({ entry }) => entry.kind !== "decided")
    .map(({ entry, source }) => ({
      kind: entry.kind,
      observed_at: new Date(entry.hours * HOUR_MS).toISOString(),
      value: entry.value,
      source: sourceLabel(source),
    }))
}

function explainedContext(
  { event, verifiedAtMs }: PhoneContext,
  entries: PhoneEntries,
  accounts24h: number | null,
): object {
  const byRequest = verifiedAtMs !== null && verifiedAtMs >= (entries.verifiedAtMs ?? 0)
  return {
    event,
    counted: accounts24h !== null,
    accounts_24h: accounts24h,
    verification_known_by: byRequest ? "request" : entries.verifiedAtMs === null ? null : "record",
  }
}

/** What the number itself shows, for the explanation. Nobody was asked. */
interface NumberFacts {
  /** Whether a numbering plan allows the number. */
  readonly valid: boolean
  /**
   * What makes it other than an ordinary line of a person: its type, or that it is kept for fiction
   * or tests.
   */
  readonly special: SpecialNumber | null
  /** The carrier that its range was first given to; who serves it today only a provider can say. */
  readonly original_carrier: string | null
}

export function numberFacts({ e164, valid, special }: ParsedPhone): NumberFacts {
  return { valid, special, original_carrier: valid ? originalCarrier(e164) : null }
}

/**
 * One answer of a provider as an explanation shows it: always with the same members, and never with
 * a number.
 */
interface ExplainedSignal {
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
