import { parseTime } from "@assay/runtime/rfc3339"

const HOUR_MS = 3_600_000
const DAY = /^\d{4}-\d\d-\d\d$/
// As databases write a time: a space for the T, and no zone, which is then UTC.
const DATABASE_TIME =
  /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,9})?)\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/i
const EPOCH = /^\d{9,13}$/
/** Seconds beyond this lie in the year 5138; what is larger counts milliseconds. */
const EPOCH_SECONDS_MAX = 1e11

/**
 * The hour since 1970 that a date in a file names: an RFC 3339 time, a day, a time as databases
 * write it, or seconds or milliseconds since 1970. Null for anything else. Whether the hour can be
 * true is for the caller to say.
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
