import type { ParsedPhone } from "@assay/core/identity"
import {
  INPUT_VERSION,
  type Line,
  lineOf,
  type PhoneInput,
  phoneKnowledge,
  type PhoneModel,
  smsOtpTrust,
} from "@assay/core/score"
import { instantOf } from "@assay/runtime/time"
import type { Caller } from "../../accounts/callers.ts"
import {
  type ChangeSpan,
  changedTogether,
  JUST_UNDER_DAYS,
  newerChange,
  scoredAge,
  statedFarEnd,
} from "./change-span.ts"
import { newest, type PhoneContext } from "./phone-context.ts"
import { ACTIVE, type PhoneEntries, PREPAID } from "./phone-entries.ts"
import { daysFromTheHour, type SignalFacts } from "./signal-facts.ts"

/**
 * What a score takes from the number itself: plain, so that it can be kept where the number is not.
 */
export type NumberValues = Pick<ParsedPhone, "valid" | "numberType" | "region" | "special">

/** Everything that was looked up about a number. */
export interface PhoneFindings {
  readonly parsed: NumberValues
  readonly entries: PhoneEntries
  readonly signals: SignalFacts
  /** null: the request came without context. */
  readonly context: PhoneContext | null
  /**
   * Accounts that used the number in 24 hours; null where that was not asked or could not be
   * counted.
   */
  readonly accounts24h: number | null
  readonly caller: Caller
  readonly model: PhoneModel
  readonly nowMs: number
}

/** A handset that changed within a day of the SIM changed with it. */
const TOGETHER_DAYS = 1
/** Failed one-time codes speak of an attempt under way, not of the number. */
const BURST_DAYS = 1
/** A statement that the SIM did not change says nothing about what came after it. */
const AFFIRMED_DAYS = 1
/** Model 1.0, section 6: from here on tenure speaks for a number, before it against. */
const YEAR_DAYS = 365
/** Model 1.0, section 5.9: what a code by SMS stops where the number may be in other hands. */
const SMS_ONLY_EFFICACY = 0.3

/**
 * When the number was last known to be in the right hands, by what the request says and by the
 * tenant's feedback.
 */
export function verifiedAt(entries: PhoneEntries, context: PhoneContext | null): number | null {
  return newest(entries.verifiedAtMs, context === null ? null : context.verifiedAtMs)
}

/**
 * Turns what is known of a number into the scorer's input document. Ages are in days, from the
 * hour.
 */
export function phoneEvidence(findings: PhoneFindings): PhoneInput {
  const { parsed, entries, signals, context, accounts24h, caller, model, nowMs } = findings
  const verifiedAtMs = verifiedAt(entries, context)
  const verifiedAge = verifiedAtMs === null ? Infinity : daysFromTheHour(verifiedAtMs, nowMs)
  const sim = newerChange(changeAt(entries.simChangeAge), signals.simChange)
  const port = newerChange(changeAt(entries.portAge), signals.port)
  const device = newerChange(changeAt(entries.deviceChangeAge), signals.deviceChange)
  const noSimChangeDays = unchangedDays(entries, signals, newerChange(sim, port))
  const active = activeOf(entries, signals)
  const tenureDays = tenureOf(entries, signals)
  const callForwarding = forwardingOf(entries, signals)
  const recycledSinceVerified = recycledOf(entries, signals, verifiedAge)
  const numberType = signals.lineType ?? refinedType(parsed, signals)
  const deviceContinuityDays = device?.atLeast ?? signals.deviceUnchanged?.days
  const network =
    active !== undefined ||
    tenureDays !== undefined ||
    port !== null ||
    callForwarding !== undefined ||
    entries.routeChanges90d > 0 ||
    recycledSinceVerified !== undefined
  const labelled = entries.confirmedFraudAge !== Infinity
  const hasLine =
    network ||
    sim !== null ||
    device !== null ||
    noSimChangeDays !== undefined ||
    signals.hasSim ||
    entries.subscription.age !== Infinity ||
    // A person who proved that they hold the number has a line.
    verifiedAtMs !== null
  const input: PhoneInput = {
    as_of: instantOf(nowMs),
    writtenFor: INPUT_VERSION,
    numberType,
    region: parsed.region,
    line: lineWithContract(lineOf(numberType, model), entries, signals),
    valid: parsed.valid,
    reserved: isReserved(parsed) && !hasLine ? true : undefined,
    active,
    tenureDays,
    simChangeAge: sim === null ? undefined : scoredAge(sim, verifiedAge),
    simChangeAgeMin: sim === null || sim.atLeast === sim.atMost ? undefined : sim.atLeast,
    simChangeAgeMax: sim === null || sim.atLeast === sim.atMost ? undefined : statedFarEnd(sim),
    portAge: port === null ? undefined : scoredAge(port, verifiedAge),
    noSimChangeDays,
    deviceContinuityDays,
    deviceChangedWithSim: sim === null ? undefined : deviceChangedWith(sim, device, signals),
    simMovedSameDevice: sim !== null && staysInDevice(sim, entries, signals) ? true : undefined,
    recycledSinceVerified,
    callForwarding,
    routeChanges90d: entries.routeChanges90d === 0 ? undefined : entries.routeChanges90d,
    otpFailureBurst: entries.otpFailuresAge <= BURST_DAYS ? true : undefined,
    accounts24h: accounts24h ?? undefined,
    countryMismatch: signals.roaming ?? undefined,
    // Until 1.1 the tenant's own label of fraud was an entry of a list.
    blocklisted: entries.blocklisted || labelled ? true : undefined,
    blocklistedForFraud: labelled && !entries.blocklisted ? true : undefined,
    confirmedFraudAge: labelled ? entries.confirmedFraudAge : undefined,
    verifiedAge: verifiedAge === Infinity ? undefined : verifiedAge,
    verifiedIndependently: isIndependent(verifiedAtMs, context) ? true : undefined,
    coverage: {
      number: 1,
      sim: sim !== null || port !== null || noSimChangeDays !== undefined ? 1 : 0,
      device: deviceContinuityDays !== undefined ? 1 : 0,
      network: network ? 1 : 0,
      context: accounts24h === null ? 0 : 1,
    },
    ctx: undefined,
    settings: caller.phoneSettings,
  }
  return caller.smsOnlyStepUp ? withoutTrustInSms(input, model) : input
}

/** Kept for fiction or tests: nobody can hold it unless some source reports a line behind it. */
function isReserved({ special }: NumberValues): boolean {
  return special === "fictional" || special === "test"
}

/** Whether the last proof came by other means than the number; a record does not say how. */
function isIndependent(verifiedAtMs: number | null, context: PhoneContext | null): boolean {
  if (verifiedAtMs === null || context === null) return false
  return context.verifiedIndependently && context.verifiedAtMs === verifiedAtMs
}

function changeAt(age: number): ChangeSpan | null {
  return age === Infinity ? null : { atLeast: age, atMost: age }
}

/**
 * The longest time without a SIM change that somebody affirms. A change or port that may lie in
 * that time, or after it, proves the statement wrong or out of date: then it affirms nothing.
 */
function unchangedDays(
  { unchanged }: PhoneEntries,
  { simUnchanged }: SignalFacts,
  change: ChangeSpan | null,
): number | undefined {
  const since = change === null ? Infinity : change.atLeast
  let longest = 0
  if (unchanged.age <= AFFIRMED_DAYS && unchanged.age + unchanged.value <= since)
    longest = unchanged.value
  if (simUnchanged !== null && simUnchanged.age + simUnchanged.days <= since)
    longest = Math.max(longest, simUnchanged.days)
  // No time at all is no statement.
  return longest === 0 ? undefined : longest
}

/** The last statement about the line. If there is none, a handset that answers proves a line. */
function activeOf({ status }: PhoneEntries, signals: SignalFacts): boolean | undefined {
  const { active, reachable } = signals
  if (active !== null && active.age <= status.age) return active.value
  if (status.age !== Infinity) return status.value === ACTIVE
  return reachable ?? undefined
}

function forwardingOf(
  { forwarding }: PhoneEntries,
  { callForwarding }: SignalFacts,
): boolean | undefined {
  if (callForwarding !== null && callForwarding.age <= forwarding.age) return callForwarding.value
  return forwarding.age === Infinity ? undefined : forwarding.value === 1
}

/**
 * Days of tenure as evidence counted them, within the bounds a carrier gives now. A number held
 * for less than some days may be held since yesterday: that bound alone never speaks for it, and
 * from a year on it says nothing.
 */
function tenureOf({ tenure: counted }: PhoneEntries, { tenure }: SignalFacts): number | undefined {
  const days = counted.age === Infinity ? undefined : counted.value + counted.age
  const { atLeastDays = null, lessThanDays = null } = tenure ?? {}
  if (atLeastDays !== null && (days === undefined || days < atLeastDays)) return atLeastDays
  if (lessThanDays === null || lessThanDays > YEAR_DAYS) return days
  if (days === undefined || days >= lessThanDays)
    return Math.max(atLeastDays ?? 0, lessThanDays - JUST_UNDER_DAYS)
  return days
}

/**
 * A number that went to somebody else, or that was used to take an account over, is in the wrong
 * hands until it is proved again. In the same hour the proof may have come first: then it does not
 * count. Providers were asked since that proof.
 */
function recycledOf(
  { recycledAge, takeoverAge }: PhoneEntries,
  { recycled }: SignalFacts,
  verifiedAge: number,
): boolean | undefined {
  const lostAge = Math.min(recycledAge, takeoverAge)
  if (lostAge !== Infinity && lostAge <= verifiedAge) return true
  if (recycled !== null) return recycled
  return lostAge === Infinity ? undefined : false
}

function deviceChangedWith(
  sim: ChangeSpan,
  device: ChangeSpan | null,
  { deviceUnchanged }: SignalFacts,
): boolean | undefined {
  if (device !== null) return changedTogether(sim, device, TOGETHER_DAYS)
  if (deviceUnchanged === null) return undefined
  const before = { atLeast: deviceUnchanged.days, atMost: Infinity }
  return changedTogether(sim, before, TOGETHER_DAYS)
}

/**
 * Whether a provider affirms that the handset is the same since before the SIM changed, and nobody
 * else saw a new one.
 */
function staysInDevice(
  sim: ChangeSpan,
  { deviceChangeAge }: PhoneEntries,
  { deviceChange, deviceUnchanged }: SignalFacts,
): boolean {
  // A provider that names the last change also says that there was none since.
  const sameFor = deviceChange?.atLeast ?? deviceUnchanged?.days ?? 0
  return sameFor > sim.atMost && deviceChangeAge > sim.atMost
}

/**
 * Only a mobile number has a SIM to ask about, so an answer settles what a plan with mixed ranges
 * leaves open.
 */
function refinedType({ numberType }: NumberValues, { hasSim }: SignalFacts): string {
  return hasSim && numberType === "fixed_line_or_mobile" ? "mobile" : numberType
}

/** Prepaid and postpaid are types of the contract, not of the number. */
function lineWithContract(
  line: Line,
  { subscription }: PhoneEntries,
  { contract }: SignalFacts,
): Line {
  if (line !== "mobile") return line
  if (contract !== null) return contract === "prepaid" ? "mobile_prepaid" : "mobile_postpaid"
  if (subscription.age === Infinity) return line
  return subscription.value === PREPAID ? "mobile_prepaid" : "mobile_postpaid"
}

/**
 * Where SMS is the only challenge, one to a number that must not get codes stops few; a review may
 * be cheaper.
 */
export function withoutTrustInSms(input: PhoneInput, model: PhoneModel): PhoneInput {
  const trust = smsOtpTrust(input, phoneKnowledge(input, model), model)
  return trust === "do_not_use" ? { ...input, ctx: { stepUpEff: SMS_ONLY_EFFICACY } } : input
}
