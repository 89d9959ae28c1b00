import { serializeList } from "structured-headers"
import { Problem } from "../problem.ts"
import { startOfNextDay, startOfNextMonth } from "../time.ts"
import type { PlanLimits } from "./plans.ts"

/** What a worker knows to be left: in its own hand, and in the shared counters when it last leased. */
export interface Left {
  tokens: number
  windowEndsAt: number
  rateLeft: number
  quotaLeft: number
}

/** The 429 of a request past the rate, or of a lookup past the month's quota. */
export function lookupsRefusal(
  refused: "rate" | "quota",
  left: Left,
  limits: PlanLimits,
  now: number,
): Problem {
  const fields = limitFields(left, limits, now)
  if (refused === "quota") {
    return new Problem(
      "quota-exceeded",
      `The plan allows ${limits.lookupsPerMonth} lookups a month.`,
      {
        headers: { ...fields, "retry-after": secondsUntil(startOfNextMonth(now), now) },
      },
    )
  }
  return new Problem(
    "rate-limited",
    `The plan allows ${limits.requestsPerSecond} requests a second.`,
    {
      headers: { ...fields, "retry-after": secondsUntil(left.windowEndsAt, now) },
    },
  )
}

export function identitiesRefusal(left: Left, limits: PlanLimits, now: number): Problem {
  return new Problem(
    "identities-exceeded",
    `The plan allows ${limits.identitiesPerDay} different identities a day.`,
    {
      headers: {
        ...limitFields(left, limits, now),
        "retry-after": secondsUntil(startOfNextDay(now), now),
      },
    },
  )
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. */
export function limitFields(left: Left, limits: PlanLimits, now: number): Record<string, string> {
  const untilNextMonth = Number(secondsUntil(startOfNextMonth(now), now))
  const untilNextSecond = Number(secondsUntil(left.windowEndsAt, now))
  return {
    "ratelimit-policy": serializeList([
      [
        "second",
        new Map([
          ["q", limits.requestsPerSecond],
          ["w", 1],
        ]),
      ],
      [
        "month",
        new Map([
          ["q", limits.lookupsPerMonth],
          ["w", 2_592_000],
        ]),
      ],
    ]),
    ratelimit: serializeList([
      [
        "second",
        new Map([
          ["r", left.rateLeft + left.tokens],
          ["t", untilNextSecond],
        ]),
      ],
      [
        "month",
        new Map([
          ["r", left.quotaLeft + left.tokens],
          ["t", untilNextMonth],
        ]),
      ],
    ]),
  }
}

function secondsUntil(then: number, now: number): string {
  return String(Math.max(1, Math.ceil((then - now) / 1000)))
}
