import { parseTime } from "@assay/runtime/rfc3339"
import { HOUR_MS } from "@assay/runtime/time"

/** Clocks differ. What is dated further ahead than this is no clock but a mistake. */
const AHEAD_MS = HOUR_MS
/** No SIM is older; dates before it stand for "none" in somebody's database, as 1900-01-01 does. */
const EARLIEST_MS = Date.UTC(1990, 0, 1)

/**
 * The code for a date that cannot be believed. It concerns one number, so it does not count against
 * the provider.
 */
export const INVALID_DATE = "invalid_date"

/**
 * The moment of a change as a provider gives it, in RFC 3339 and never ahead of now. null: no date
 * that can be believed.
 */
export function changeDate(value: unknown, nowMs: number): string | null {
  const ms = typeof value === "string" ? parseTime(value) : null
  if (ms === null || ms < EARLIEST_MS || ms > nowMs + AHEAD_MS) return null
  return new Date(Math.min(ms, nowMs)).toISOString()
}
