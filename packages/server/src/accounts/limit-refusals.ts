import { Problem } from "../base/problem.ts"
import { startOfNextDay, startOfNextMonth } from "@assay/runtime/time"
import type { PlanLimits } from "./plans.ts"

/**
 * What a worker knows to be left: in its own hand, and in the shared counters when it last asked.
 */
export interface Left {
  readonly requests: number
  readonly lookups: number
  readonly rateLeft: number
  readonly quotaLeft: number
}

/** A window of the rate has a second, so that it ends within the next one. */
const WINDOW_SECONDS = 1
const MONTH_SECONDS = 2_592_000

export function rateRefusal(left: Left, limits: PlanLimits, now: number): Problem {
  return new Problem(
    "rate-limited",
    `The plan allows ${limits.requestsPerSecond} requests a second.`,
    { headers: { ...limitFields(left, limits, now), "retry-after": String(WINDOW_SECONDS) } },
  )
}

export function quotaRefusal(left: Left, limits: PlanLimits, now: number): Problem {
  const retryAfter = secondsUntil(startOfNextMonth(now), now)
  return new Problem(
    "quota-exceeded",
    `The plan allows ${limits.lookupsPerMonth} lookups a month.`,
    { headers: { ...limitFields(left, limits, now), "retry-after": String(retryAfter) } },
  )
}

export function identitiesRefusal(left: Left, limits: PlanLimits, now: number): Problem {
  const retryAfter = secondsUntil(startOfNextDay(now), now)
  return new Problem(
    "identities-exceeded",
    `The plan allows ${limits.identitiesPerDay} different identities a day.`,
    { headers: { ...limitFields(left, limits, now), "retry-after": String(retryAfter) } },
  )
}

export function streamsRefusal({ streamsAtOnce }: PlanLimits): Problem {
  return new Problem("streams-exceeded", `The plan allows ${streamsAtOnce} streams at once.`, {
    headers: { "retry-after": "1" },
  })
}

/**
 * Nobody can say what is used up, so nothing is answered: a limit that opens under pressure is no
 * limit.
 */
export function limitsUnavailable(cause: unknown): Problem {
  return new Problem("limits-unavailable", "Nothing was evaluated.", {
    cause,
    headers: { "retry-after": "1" },
  })
}

/**
 * The fields of draft-ietf-httpapi-ratelimit-headers-10, lists of structured fields (RFC 9651).
 * Written as text, since all values are integers and a serialiser costs more than scoring does.
 */
export function limitFields(left: Left, limits: PlanLimits, now: number): Record<string, string> {
  const rateLeft = left.rateLeft + Math.max(0, left.requests)
  const quotaLeft = left.quotaLeft + left.lookups
  const resetSeconds = secondsUntil(startOfNextMonth(now), now)
  return {
    "ratelimit-policy": `"second";q=${limits.requestsPerSecond};w=${WINDOW_SECONDS}, "month";q=${limits.lookupsPerMonth};w=${MONTH_SECONDS}`,
    ratelimit: `"second";r=${rateLeft};t=${WINDOW_SECONDS}, "month";r=${quotaLeft};t=${resetSeconds}`,
  }
}

function secondsUntil(then: number, now: number): number {
  return Math.max(1, Math.ceil((then - now) / 1000))
}
