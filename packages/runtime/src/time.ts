export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

let lastDay = { number: -1, text: "", month: "" }

/**
 * The UTC date of a time, as YYYY-MM-DD. Called many times per request and nearly always for today.
 */
export function dayOf(ms: number): string {
  return dayAt(ms).text
}

/** The UTC month of a time, as YYYY-MM. */
export function monthOf(ms: number): string {
  return dayAt(ms).month
}

function dayAt(ms: number): typeof lastDay {
  const number = Math.floor(ms / DAY_MS)
  if (number !== lastDay.number) {
    const text = new Date(ms).toISOString().slice(0, 10)
    lastDay = { number, text, month: text.slice(0, 7) }
  }
  return lastDay
}

let lastInstant = { ms: NaN, text: "" }

/** A time as `toISOString` writes it. A busy service asks for the same millisecond many times. */
export function instantOf(ms: number): string {
  if (ms !== lastInstant.ms) lastInstant = { ms, text: new Date(ms).toISOString() }
  return lastInstant.text
}

export function startOfNextDay(ms: number): number {
  return (Math.floor(ms / DAY_MS) + 1) * DAY_MS
}

export function startOfMonth(ms: number): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

export function startOfNextMonth(ms: number): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}
