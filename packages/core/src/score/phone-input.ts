import type { CostSettings } from "./action.ts"
import type { Calibration } from "./calibration.ts"
import type { ActionContext } from "./email-input.ts"
import type { PhoneModel } from "./model-phone.ts"
import type { Line } from "./vocabulary.ts"

/** From 0 (no source answered) to 1; a family left out is 0. */
export interface PhoneCoverage {
  readonly number?: number | null
  readonly sim?: number | null
  readonly device?: number | null
  readonly network?: number | null
  readonly context?: number | null
}

export interface PhoneSettings {
  readonly costs?: CostSettings | null
  readonly calibration?: Calibration | null
  /** `block` only for a number that is not allocated: nothing else about a number is confirmed. */
  readonly confirmedBeforeBlock?: boolean | null
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
  readonly line?: Line | null
  readonly valid?: boolean | null
  readonly active?: boolean | null
  readonly tenureDays?: number | null
  readonly simChangeAge?: number | null
  readonly portAge?: number | null
  /** A source affirms no SIM change in the last so many days: a lower bound, never an age. */
  readonly noSimChangeDays?: number | null
  readonly deviceContinuityDays?: number | null
  readonly deviceChangedWithSim?: boolean | null
  readonly simMovedSameDevice?: boolean | null
  readonly recycledSinceVerified?: boolean | null
  readonly callForwarding?: boolean | null
  readonly routeChanges90d?: number | null
  readonly otpFailureBurst?: boolean | null
  readonly accounts24h?: number | null
  readonly countryMismatch?: boolean | null
  readonly blocklisted?: boolean | null
  /** Days since this account last verified the number. */
  readonly verifiedAge?: number | null
  readonly coverage?: PhoneCoverage | null
  readonly ctx?: ActionContext | null
  readonly settings?: PhoneSettings | null
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
  const device = anyKnown(
    input.deviceContinuityDays,
    input.deviceChangedWithSim,
    input.simMovedSameDevice,
  )
  const network = anyKnown(
    input.active,
    input.tenureDays,
    input.portAge,
    input.callForwarding,
    input.routeChanges90d,
    input.recycledSinceVerified,
  )
  const context = anyKnown(
    input.accounts24h,
    input.countryMismatch,
    input.otpFailureBurst,
    input.verifiedAge,
  )
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

function anyKnown(...values: unknown[]): boolean {
  return values.some((value) => value != null)
}

/** The line of a public number type; a type the model does not name is unknown. */
export function lineOf(numberType: string, model: PhoneModel): Line {
  return Object.hasOwn(model.lineOfNumberType, numberType)
    ? (model.lineOfNumberType[numberType] ?? "unknown")
    : "unknown"
}
