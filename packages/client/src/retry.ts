import { AssayUnavailable, type Failure } from "./errors.ts"

const PAUSE_MS = 50

/**
 * How long to wait before asking again after `failure`, in milliseconds; null: not at all. Scoring
 * is a read and feedback has an idempotency key, so asking twice is safe; it is also useless unless
 * the failure may pass by itself. A `repeatable` request costs nothing when it arrives twice.
 */
export function retryPause(
  failure: Failure,
  attempt: number,
  random: () => number,
  repeatable = false,
): number | null {
  // Half of the pause is random, so that callers cut off together do not come back together.
  const pauseMs = PAUSE_MS * 2 ** attempt * (0.5 + random() / 2)
  const { status, retryAfterSeconds } = failure
  if (status === 503) return (retryAfterSeconds ?? 0) * 1000 + pauseMs
  // A limit without a stated end is not going to end within a call.
  if (status === 429 || (status === 409 && repeatable))
    return retryAfterSeconds === null ? null : retryAfterSeconds * 1000 + pauseMs
  // A score that broke off has been counted already, so only what got no response is sent again.
  const unsent = failure instanceof AssayUnavailable && failure.reason === "network"
  return unsent && (status === null || repeatable) ? pauseMs : null
}

/** The seconds of a Retry-After field, given as a number or a date (RFC 9110, section 10.2.3). */
export function retryAfterSeconds(field: string | null, nowMs: number): number | null {
  if (field === null) return null
  if (/^\d+$/.test(field)) return Number(field)
  const thenMs = Date.parse(field)
  return Number.isNaN(thenMs) ? null : Math.max(0, Math.ceil((thenMs - nowMs) / 1000))
}
