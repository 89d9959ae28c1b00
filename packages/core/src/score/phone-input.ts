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
  /** `block` only for a number that is not allocated: nothing else about a number is confirmed. */
  readonly confirmedBeforeBlock?: boolean | null | undefined
}

/**
 * Everything the phone model looks at, as one JSON document. Ages are days at `as_of`, fractions
 * allowed. A member left out or null is unknown.
 */
export interface PhoneInput {
  /** UTC date or UTC time that ends in Z. */
  readonly as_of: string
  /** Carried into the answer as they are. */
  readonly numberType: string
  readonly region: string
  readonly line?: Line | null | undefined
  readonly valid?: boolean | null | undefined
  readonly active?: boolean | null | undefined
  readonly tenureDays?: number | null | undefined
  readonly simChangeAge?: number | null | undefined
  readonly portAge?: number | null | undefined
  /** A source affirms no SIM change in the last so many days: a lower bound, never an age. */
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
  /** Days since this account last verified the number. */
  readonly verifiedAge?: number | null | undefined
  readonly coverage?: PhoneCoverage | null | undefined
  readonly ctx?: ActionContext | null | undefined
  readonly settings?: PhoneSettings | null | undefined
}

/** What the input tells about who can speak for the number. */
export interface PhoneKnowledge {
  /** Days since the last SIM change or port; null when neither is known. */
  readonly changeAge: number | null
  /** The last change was the move to another carrier. */
  readonly ported: boolean
  /** The account proved control of the number after the last change. */
  readonly verifiedSince: boolean
  readonly simHistory: boolean
  readonly device: boolean
  readonly network: boolean
  readonly context: boolean
  /** Anything beyond the shape of the number and lists of numbers. */
  readonly beyondNumber: boolean
}

export function phoneKnowledge(input: PhoneInput): PhoneKnowledge {
  const { simChangeAge, portAge, verifiedAge } = input
  const changeAge =
    simChangeAge == null ? (portAge ?? null) : Math.min(simChangeAge, portAge ?? Infinity)
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
    ported: changeAge !== null && changeAge === portAge,
    verifiedSince: changeAge !== null && verifiedAge != null && verifiedAge < changeAge,
    simHistory,
    device,
    network,
    context,
    beyondNumber: simHistory || device || network || context,
  }
}

/** The line of a public number type; a type the model does not name is unknown. */
export function lineOf(numberType: string, model: PhoneModel): Line {
  return Object.hasOwn(model.lineOfNumberType, numberType)
    ? (model.lineOfNumberType[numberType] ?? "unknown")
    : "unknown"
}
