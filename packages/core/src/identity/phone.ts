import type { PhoneNumberType } from "libphonenumber-js/max"
import type { NUMBER_TYPES } from "./number-types.ts"
import { type CallingCode, callingCodeOf, plannedNumber } from "./numbering-plans.ts"
import { reservedUse, reservedUseWithoutPlan, type ReservedUse } from "./reserved-numbers.ts"

const details = {
  empty: "The number is empty.",
  "no-plus": "The number does not start with a plus sign and a country code.",
  "not-digits": "The number has something other than the digits 0 to 9 after its plus sign.",
  "leading-zero": "The country code starts with 0, which none does.",
  "too-short": "The number has fewer than 7 digits.",
  "too-long": "The number has more than 15 digits.",
} as const

/** Why a text is no E.164 number. The words are stable; new ones may be added. */
export type PhoneFaultWord = keyof typeof details

/** A refusal. `detail` may be shown to anybody: it never quotes what was refused. */
export interface PhoneFault {
  readonly fault: PhoneFaultWord
  readonly detail: string
}

function phoneFault(fault: PhoneFaultWord): PhoneFault {
  return { fault, detail: details[fault] }
}

export type NumberType = (typeof NUMBER_TYPES)[number]

/** What makes a number other than an ordinary line of a person. */
export type SpecialNumber = "premium" | "toll_free" | "shared_cost" | ReservedUse

/** A well-formed E.164 number. `"fault" in result` identifies a `PhoneFault`. */
export interface ParsedPhone {
  /** The number as given, which is also its canonical form. */
  readonly e164: string
  /** Whether a numbering plan allows the number. It may still belong to nobody. */
  readonly valid: boolean
  /** By numbering plan alone; carriers and providers know better when they are asked. */
  readonly numberType: NumberType
  /** ISO 3166-1 alpha-2, `ZZ` where the number belongs to no country or to none in particular. */
  readonly region: string
  readonly special: SpecialNumber | null
}

const DIGITS_MIN = 7
const DIGITS_MAX = 15
const NO_REGION = "ZZ"

const NUMBER_TYPE_OF: Readonly<Record<PhoneNumberType, NumberType>> = {
  MOBILE: "mobile",
  FIXED_LINE: "fixed_line",
  FIXED_LINE_OR_MOBILE: "fixed_line_or_mobile",
  VOIP: "voip",
  TOLL_FREE: "toll_free",
  PREMIUM_RATE: "premium_rate",
  SHARED_COST: "shared_cost",
  PERSONAL_NUMBER: "personal",
  UAN: "uan",
  PAGER: "pager",
  VOICEMAIL: "voicemail",
}

const SPECIAL_OF: Readonly<Partial<Record<NumberType, SpecialNumber>>> = {
  premium_rate: "premium",
  toll_free: "toll_free",
  shared_cost: "shared_cost",
}

// Calling codes that ITU-T gave to satellite systems as a whole: 870 Inmarsat, 881 Iridium and
// Globalstar. 882 and 883 are shared by networks of every kind and keep the type of their plan.
const SATELLITE_CODES: ReadonlySet<string> = new Set(["870", "881"])

/**
 * Reads a number in E.164 form, or says why it is none. Never throws; unassigned numbers are read
 * too.
 */
export function parsePhone(text: string): ParsedPhone | PhoneFault {
  if (text === "") return phoneFault("empty")
  if (!text.startsWith("+")) return phoneFault("no-plus")
  const digits = text.slice(1)
  if (/[^0-9]/.test(digits)) return phoneFault("not-digits")
  if (digits.startsWith("0")) return phoneFault("leading-zero")
  if (digits.length < DIGITS_MIN) return phoneFault("too-short")
  if (digits.length > DIGITS_MAX) return phoneFault("too-long")
  const callingCode = callingCodeOf(digits)
  if (callingCode === null) return unplanned(text, NO_REGION, reservedUseWithoutPlan(digits))
  const national = digits.slice(callingCode.code.length)
  const reserved = reservedUse(callingCode.code, national)
  const planned = plannedNumber(callingCode, national)
  if (planned === null) return unplanned(text, regionOfCode(callingCode), reserved)
  const isSatellite = planned.type === "MOBILE" && SATELLITE_CODES.has(callingCode.code)
  const numberType = isSatellite ? "satellite" : NUMBER_TYPE_OF[planned.type]
  return {
    e164: text,
    valid: true,
    numberType,
    region: planned.country ?? NO_REGION,
    special: reserved ?? SPECIAL_OF[numberType] ?? null,
  }
}

function unplanned(e164: string, region: string, special: ReservedUse | null): ParsedPhone {
  return { e164, valid: false, numberType: "invalid", region, special }
}

// A number that no plan allows still gets the region of its calling code, unless several countries
// share it.
function regionOfCode({ plans }: CallingCode): string {
  return (plans.length === 1 && plans[0]?.country) || NO_REGION
}
