import type { CostSettings } from "./action.ts"
import type { Calibration } from "./calibration.ts"
import type { ActionContext } from "./email-input.ts"
import type { PhoneModel } from "./model-phone.ts"
import type { Line } from "./vocabulary.ts"

/** From 0 (no source answered) to 1; a family left out is 0. */
export interface PhoneCoverage {
  readonly number?: number | null | undefined
  readonly sim?: number | null | undefined
  readonly device?: number | null | undefined
  readonly network?: number | null | undefined
  readonly context?: number | null | undefined
}

export interface PhoneSettings {
  readonly costs?: CostSettings | null | undefined
  readonly calibration?: Calibration | null | undefined
  /** `block` only for a number that nobody can own, or with which fraud is confirmed. */
  readonly confirmedBeforeBlock?: boolean | null | undefined
}

/**
 * Everything the phone model looks at, as one JSON document. Ages are days at `as_of`, fractions
 * allowed. A member left out or null is unknown.
 */
export interface PhoneInput {
  /** UTC date or UTC time that ends in Z. */
  readonly as_of: string
  /**
   * The newest model whose members were looked for; left out by programs before 1.1. Never weighed.
   */
  readonly writtenFor?: string | null | undefined
  /** Copied into the answer unchanged. */
  readonly numberType: string
  readonly region: string
  readonly line?: Line | null | undefined
  readonly valid?: boolean | null | undefined
  /** Set aside for fiction, tests or documentation, and no source reports it in service. */
  readonly reserved?: boolean | null | undefined
  readonly active?: boolean | null | undefined
  readonly tenureDays?: number | null | undefined
  /** Where an answer is bounded, its far end, as models before 1.1 read it. */
  readonly simChangeAge?: number | null | undefined
  /** The near end of a bounded answer; left out where the change has a date. */
  readonly simChangeAgeMin?: number | null | undefined
  /** The far end as the source gave it, if `simChangeAge` differs: shown, never weighed. */
  readonly simChangeAgeMax?: number | null | undefined
  readonly portAge?: number | null | undefined
  /** A source affirms no SIM change in this many days: a lower bound, never an age. */
  readonly noSimChangeDays?: number | null | undefined
  readonly deviceContinuityDays?: number | null | undefined
  readonly deviceChangedWithSim?: boolean | null | undefined
  readonly simMovedSameDevice?: boolean | null | undefined
  readonly recycledSinceVerified?: boolean | null | undefined
  readonly callForwarding?: boolean | null | undefined
  readonly routeChanges90d?: number | null | undefined
  readonly otpFailureBurst?: boolean | null | undefined
  readonly accounts24h?: number | null | undefined
  readonly countryMismatch?: boolean | null | undefined
  readonly blocklisted?: boolean | null | undefined
  /** Only the tenant's own label of fraud makes `blocklisted` true: models that read
   *  `confirmedFraudAge` count that instead. */
  readonly blocklistedForFraud?: boolean | null | undefined
  /** Days since the tenant itself confirmed fraud with this number. */
  readonly confirmedFraudAge?: number | null | undefined
  /** Days since this account last verified the number. */
  readonly verifiedAge?: number | null | undefined
  /** It was not verified by a code or call to the number, which the holder of the SIM receives. */
  readonly verifiedIndependently?: boolean | null | undefined
  readonly coverage?: PhoneCoverage | null | undefined
  readonly ctx?: ActionContext | null | undefined
  readonly settings?: PhoneSettings | null | undefined
}

/** What rows of a document may weigh: flags and numbers of the input. */
export const PHONE_MEMBERS = {
  valid: "flag",
  reserved: "flag",
  active: "flag",
  tenureDays: "number",
  simChangeAge: "number",
  simChangeAgeMin: "number",
  portAge: "number",
  noSimChangeDays: "number",
  deviceContinuityDays: "number",
  deviceChangedWithSim: "flag",
  simMovedSameDevice: "flag",
  recycledSinceVerified: "flag",
  callForwarding: "flag",
  routeChanges90d: "number",
  otpFailureBurst: "flag",
  accounts24h: "number",
  countryMismatch: "flag",
  blocklisted: "flag",
  blocklistedForFraud: "flag",
  confirmedFraudAge: "number",
  verifiedAge: "number",
  verifiedIndependently: "flag",
} as const satisfies Partial<Record<keyof PhoneInput, "flag" | "number">>

/** Ages in days, of which the first is weighed and the second shown. */
export interface AgeSpan {
  readonly from: number
  readonly to: number
}

/** What the input reveals about who can speak for the number. */
export interface PhoneKnowledge {
  /** Days since the last SIM change or port; null when neither is known. */
  readonly changeAge: number | null
  /**
   * The ages between which the last SIM change lies: twice the same age for a change with a date.
   */
  readonly sim: AgeSpan | null
  /** The last change was the move to another carrier. */
  readonly ported: boolean
  /** The account proved control of the number after the last change, and the proof counts. */
  readonly verifiedSince: boolean
  readonly simHistory: boolean
  readonly device: boolean
  readonly network: boolean
  readonly context: boolean
  /** Anything beyond the shape of the number and lists of numbers. */
  readonly beyondNumber: boolean
}

export function phoneKnowledge(input: PhoneInput, model: PhoneModel): PhoneKnowledge {
  const { portAge, verifiedAge } = input
  const sim = simSpan(input, model)
  const changeAge = sim === null ? (portAge ?? null) : Math.min(sim.from, portAge ?? Infinity)
  const ported = changeAge !== null && changeAge === portAge
  const simHistory = changeAge !== null || input.noSimChangeDays != null
  const device =
    input.deviceContinuityDays != null ||
    input.deviceChangedWithSim != null ||
    input.simMovedSameDevice != null
  const network =
    input.active != null ||
    input.tenureDays != null ||
    portAge != null ||
    input.callForwarding != null ||
    input.routeChanges90d != null ||
    input.recycledSinceVerified != null
  const context =
    input.accounts24h != null ||
    input.countryMismatch != null ||
    input.otpFailureBurst != null ||
    verifiedAge != null
  return {
    changeAge,
    sim,
    ported,
    verifiedSince: changeAge !== null && isVerifiedSince(input, changeAge, model),
    simHistory,
    device,
    network,
    context,
    beyondNumber: simHistory || device || network || context,
  }
}

function simSpan(
  { simChangeAge, simChangeAgeMin, simChangeAgeMax }: PhoneInput,
  { fields }: PhoneModel,
): AgeSpan | null {
  if (fields.boundedChange !== "near_end") {
    return simChangeAge == null ? null : { from: simChangeAge, to: simChangeAge }
  }
  const near = simChangeAgeMin ?? simChangeAge
  if (near == null) return null
  const from = Math.min(near, simChangeAge ?? near)
  return { from, to: Math.max(from, simChangeAgeMax ?? simChangeAge ?? near) }
}

/** Far below an hour: the difference of two ages must not flicker with their binary fractions. */
const ROUNDING_DAYS = 1e-6

// The holder of a swapped SIM receives the code that is sent to it. So a verification through the
// number proves something only when the owner had time to notice that the line was gone.
function isVerifiedSince(
  { verifiedAge, verifiedIndependently }: PhoneInput,
  changeAge: number,
  { fields }: PhoneModel,
): boolean {
  if (verifiedAge == null || verifiedAge >= changeAge) return false
  const { verificationCountsAfterDays } = fields
  if (verificationCountsAfterDays === undefined || verifiedIndependently === true) return true
  return changeAge - verifiedAge >= verificationCountsAfterDays - ROUNDING_DAYS
}

/** The line of a public number type; a type the model does not name is unknown. */
export function lineOf(numberType: string, model: PhoneModel): Line {
  return Object.hasOwn(model.lineOfNumberType, numberType)
    ? (model.lineOfNumberType[numberType] ?? "unknown")
    : "unknown"
}
