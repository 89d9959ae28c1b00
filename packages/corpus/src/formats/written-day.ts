import { parseTime } from "@assay/runtime/rfc3339"
import { DAY_MS, dayOf, HOUR_MS } from "@assay/runtime/time"

const EARLIEST_MS = Date.UTC(1990, 0, 1)
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

const YEAR_FIRST = /(?<!\d)(\d{4})([-./_ ])(\d{1,2})\2(\d{1,2})(?!\d)/
const YEAR_LAST = /(?<!\d)(\d{1,2})([-./_])(\d{1,2})\2(\d{4})(?!\d)/
// No part of a longer word, which may be the number of a machine.
const TOGETHER = /(?<![0-9A-Za-z])(20\d{2})(\d{2})(\d{2})(?![0-9A-SU-Za-z])/
const DAY_MONTH = /(?<!\d)(\d{1,2})[ -]([A-Za-z]{3})[a-z]*[ ,-]+(\d{4})(?!\d)/
const MONTH_DAY = /([A-Za-z]{3})[a-z]* +(\d{1,2})(?:,? +\d{1,2}:\d{2}(?::\d{2})?)?,? +(\d{4})(?!\d)/
const HALF_OF_DAY = /\d ?[ap]\.?m\b/i

/** The UTC day of a moment as YYYY-MM-DD; null where it is before 1990 or after the latest. */
export function dayWithin(ms: number, latestMs: number): string | null {
  return ms >= EARLIEST_MS && ms <= latestMs ? dayOf(ms) : null
}

/**
 * The first plausible day in a text, in the forms people and programs use; null if there is none.
 * `5/12/2023` is the 5th of December, unless the time after it has a.m. or p.m., as in countries
 * where the month comes first.
 */
export function writtenDay(text: string, latestMs: number): string | null {
  const day = (year: string, month: number, date: string): string | null =>
    dayOfParts(Number(year), month, Number(date), latestMs)
  const first = YEAR_FIRST.exec(text)
  if (first !== null) {
    const [, year = "", , month, date = ""] = first
    const found = day(year, Number(month), date)
    if (found !== null) return found
  }
  const last = YEAR_LAST.exec(text)
  if (last !== null) {
    const [, one = "", mark, two = "", year = ""] = last
    const dayFirst = day(year, Number(two), one)
    const monthFirst = mark === "." ? null : day(year, Number(one), two)
    const found = HALF_OF_DAY.test(text) ? (monthFirst ?? dayFirst) : (dayFirst ?? monthFirst)
    if (found !== null) return found
  }
  const [, date = "", month = "", year = ""] = DAY_MONTH.exec(text) ?? []
  const [, month2 = "", date2 = "", year2 = ""] = MONTH_DAY.exec(text) ?? []
  const [, year3 = "", month3, date3 = ""] = TOGETHER.exec(text) ?? []
  return (
    day(year, monthOf(month), date) ??
    day(year2, monthOf(month2), date2) ??
    day(year3, Number(month3), date3)
  )
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.toLowerCase()) + 1
}

function dayOfParts(year: number, month: number, date: number, latestMs: number): string | null {
  const ms = Date.UTC(year, month - 1, date)
  const day = dayWithin(ms, latestMs + DAY_MS)
  const written = `${year}-${String(month).padStart(2, "0")}-${String(date).padStart(2, "0")}`
  // The round trip refuses days that no month has.
  return day === written ? day : null
}

const DAY = /^\d{4}-\d\d-\d\d$/
// As databases write a time: a space for the T, and no zone, which is then UTC.
const DATABASE_TIME =
  /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,9})?)\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i
const EPOCH = /^\d{9,13}$/
/** Seconds beyond this lie in the year 5138; a larger number counts milliseconds. */
const EPOCH_SECONDS_MAX = 1e11

/**
 * The hour since 1970 that a date in a file names: an RFC 3339 time, a day, a time as databases
 * write it, or seconds or milliseconds since 1970. Null for anything else. The caller decides
 * whether the hour is plausible.
 */
export function observedHours(date: string | number): number | null {
  const text = String(date)
  if (EPOCH.test(text)) {
    const count = Number(text)
    return Math.floor((count < EPOCH_SECONDS_MAX ? count * 1000 : count) / HOUR_MS)
  }
  const ms = DAY.test(text) ? parseTime(`${text}T00:00:00Z`) : timeOf(text)
  return ms === null ? null : Math.floor(ms / HOUR_MS)
}

function timeOf(text: string): number | null {
  const [, day, time, zone = "Z"] = DATABASE_TIME.exec(text) ?? []
  if (day === undefined || time === undefined) return null
  return parseTime(`${day}T${time}${/^(?:z|utc)$/i.test(zone) ? "Z" : fullOffset(zone)}`)
}

/** RFC 3339 wants hours and minutes with a colon between them. */
function fullOffset(zone: string): string {
  return `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`
}
