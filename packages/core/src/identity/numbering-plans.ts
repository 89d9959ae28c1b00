import { Metadata, type CountryCode, type PhoneNumberType } from "libphonenumber-js/max"
import metadata from "libphonenumber-js/max/metadata"

// libphonenumber's numbering plans, read once and kept as compiled expressions. The library's own
// parser has to cope with punctuation, extensions and national prefixes, and compiles every
// expression anew for each number: 9 to 26 µs against 1 to 3 here. For an E.164 number it comes
// down to the steps below, and a test holds the two equal.

/** What the plans say about an E.164 number that they allow. */
export interface PlannedNumber {
  readonly type: PhoneNumberType
  /** Null where the calling code belongs to no country. */
  readonly country: CountryCode | null
}

/** The plans that share a calling code, the main country's first. */
export interface CallingCode {
  readonly code: string
  readonly plans: readonly Plan[]
}

interface Plan {
  readonly country: CountryCode | null
  readonly pattern: RegExp
  readonly fixedLineMayBeMobile: boolean
  readonly types: readonly TypePattern[]
}

interface TypePattern {
  readonly type: PhoneNumberType
  readonly lengths: readonly number[] | null
  readonly pattern: RegExp
}

// In the order in which libphonenumber asks; the first that fits is the type.
const LINE_TYPES = [
  "FIXED_LINE",
  "MOBILE",
  "PREMIUM_RATE",
  "TOLL_FREE",
  "SHARED_COST",
  "VOIP",
  "PERSONAL_NUMBER",
  "PAGER",
  "UAN",
  "VOICEMAIL",
] as const

/** What the library's plan offers beyond its published types. */
interface LibraryPlan {
  nationalNumberPattern(): string
  type(
    type: (typeof LINE_TYPES)[number],
  ): { pattern(): string; possibleLengths(): number[] | undefined } | undefined
}

const CALLING_CODE_DIGITS_MAX = 3

// Filled as calling codes come up; there are some 230, so it stays small without being emptied.
const callingCodes = new Map<string, CallingCode>()

/** The calling code that a string of digits begins with, or null where none is assigned. */
export function callingCodeOf(digits: string): CallingCode | null {
  for (let length = 1; length <= CALLING_CODE_DIGITS_MAX; length++) {
    const code = digits.slice(0, length)
    const known = callingCodes.get(code) ?? readCallingCode(code)
    if (known !== null) return known
  }
  return null
}

/** Type and country of the national number in a calling code, or null where no plan allows it. */
export function plannedNumber({ plans }: CallingCode, national: string): PlannedNumber | null {
  // Countries that share a calling code also share freephone and premium ranges; there, as with the
  // library, the main country answers for all.
  for (const plan of plans) {
    const type = typeIn(plan, national)
    if (type !== null) return { type, country: plan.country }
  }
  return null
}

function typeIn(plan: Plan, national: string): PhoneNumberType | null {
  if (!plan.pattern.test(national)) return null
  const fits = ({ lengths, pattern }: TypePattern): boolean =>
    (lengths?.includes(national.length) ?? true) && pattern.test(national)
  const found = plan.types.find(fits)?.type ?? null
  if (found !== "FIXED_LINE") return found
  const mobile = plan.types.find(({ type }) => type === "MOBILE")
  return plan.fixedLineMayBeMobile || (mobile !== undefined && fits(mobile))
    ? "FIXED_LINE_OR_MOBILE"
    : found
}

function readCallingCode(code: string): CallingCode | null {
  const countries = metadata.country_calling_codes[code]
  if (countries === undefined && !(code in metadata.nonGeographic)) return null
  const plans =
    countries === undefined
      ? [readPlan(code, null)]
      : countries.map((country) => readPlan(country, country))
  const read = { code, plans }
  callingCodes.set(code, read)
  return read
}

function readPlan(name: string, country: CountryCode | null): Plan {
  const reader = new Metadata()
  // Calling codes without a country are selected by their digits, which the types do not mention.
  reader.selectNumberingPlan(name as CountryCode)
  const plan = reader.numberingPlan as unknown as LibraryPlan
  const mobile = plan.type("MOBILE")
  return {
    country,
    pattern: whole(plan.nationalNumberPattern()),
    // The metadata leave the mobile pattern out where it would repeat the fixed-line one.
    fixedLineMayBeMobile: mobile === undefined || mobile.pattern() === "",
    types: LINE_TYPES.flatMap((type) => {
      const read = plan.type(type)
      return read?.pattern()
        ? [{ type, lengths: read.possibleLengths() ?? null, pattern: whole(read.pattern()) }]
        : []
    }),
  }
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`)
}
