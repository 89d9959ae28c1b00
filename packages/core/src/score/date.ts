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

/** The UTC date `days` before `asOf` (after it when negative), as YYYY-MM-DD. */
export function dateBefore(asOf: string, days: number): string {
  const date = new Date(instantMs(asOf) - days * DAY_MS)
  const year = date.getUTCFullYear()
  // Four times as fast as toISOString, which is left with the years that need a sign.
  if (year < 1000 || year > 9999) return date.toISOString().slice(0, 10)
  return `${year}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`
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

function twoDigits(n: number): string {
  return n < 10 ? `0${n}` : `${n}`
}

/** Fails when `asOf` is not a UTC date or time: found before anything is scored against it. */
export function checkAsOf(asOf: string): void {
  instantMs(asOf)
}
