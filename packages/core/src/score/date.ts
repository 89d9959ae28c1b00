import { filled } from "./sentence.ts"

const DAY_MS = 86_400_000
const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/

let latest = { asOf: "", ms: Number.NaN }

// A time without a zone would be read in the zone of the machine, and the same input would then
// give different dates on different machines. So only UTC is understood.
function instantMs(asOf: string): number {
  // Called several times per assessment, always with the same text.
  if (asOf === latest.asOf) return latest.ms
  const ms = INSTANT.test(asOf) ? Date.parse(asOf) : Number.NaN
  if (Number.isNaN(ms)) {
    throw new RangeError("as_of takes a UTC date, YYYY-MM-DD, or a UTC time that ends in Z")
  }
  latest = { asOf, ms }
  return ms
}

const FIRST_MS = Date.UTC(1000, 0, 1)
const LAST_MS = Date.UTC(9999, 11, 31)
/** In place of a date that no calendar has; answers that were given have it. */
const BEYOND_CALENDARS = "NaN-NaN-NaN"

/** The UTC date `days` before `asOf` (after it when negative), as YYYY-MM-DD. */
export function dateBefore(asOf: string, days: number): string {
  const ms = instantMs(asOf) - days * DAY_MS
  if (!(ms >= FIRST_MS && ms <= LAST_MS)) return unusualDate(new Date(ms))
  return dateOfDay(Math.floor(Math.trunc(ms) / DAY_MS))
}

/** Of a year that needs zeros or a sign. */
function unusualDate(date: Date): string {
  return Number.isNaN(date.getTime()) ? BEYOND_CALENDARS : date.toISOString().slice(0, 10)
}

/**
 * The date of a day since 1970-01-01, in a third of the time that a Date takes. Years begin in
 * March, so that a leap day is the last of its year (Hinnant, chrono-compatible date algorithms).
 */
function dateOfDay(day: number): string {
  const sinceMarch0 = day + 719_468
  const era = Math.floor(sinceMarch0 / 146_097)
  const dayOfEra = sinceMarch0 - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const sinceMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const date = dayOfYear - Math.floor((153 * sinceMarch + 2) / 5) + 1
  const month = sinceMarch < 10 ? sinceMarch + 3 : sinceMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return `${year}-${twoDigits(month)}-${twoDigits(date)}`
}

/** Words for a date, of which the names of the months are a part. */
export interface DateTexts {
  readonly months: readonly string[]
  readonly date: string
}

/** "14 March 2027" for 2027-03-14. */
export function dateInWords(date: string, texts: DateTexts): string {
  const [year = "", month = "", day = ""] = date.split("-")
  const values = { day: Number(day), month: texts.months[Number(month) - 1] ?? month, year }
  return filled(texts.date, values)
}

const TWO_DIGITS = Array.from({ length: 32 }, (_, n) => String(n).padStart(2, "0"))

function twoDigits(n: number): string {
  return TWO_DIGITS[n] ?? ""
}

/** Fails when `asOf` is not a UTC date or time: found before anything is scored against it. */
export function checkAsOf(asOf: string): void {
  instantMs(asOf)
}
