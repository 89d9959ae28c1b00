import { DAY_MS, dayOf } from "@assay/runtime/time"

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
 * The first day that is written in a text, in the forms people and programs use; null where there
 * is none that can be true. `5/12/2023` is the 5th of December, unless the time behind it has a.m.
 * or p.m., as where the month comes first.
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
