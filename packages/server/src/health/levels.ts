import {
  OBJECTIVE_MS,
  OBJECTIVE_SHARE,
  REQUESTS_MIN,
  type ServiceLevels,
  type ServicePeriod,
} from "@assay/core/contract"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { longestOf, type RequestCounts } from "./request-counts.ts"

/** How long figures are kept. */
export const LEVEL_DAYS = 90

/** What is kept of an hour. Times are in milliseconds. */
export interface Hour {
  /** While the service ran. */
  up: number
  /** Of that, by the share of requests that were answered in each span. */
  good: number
  /** While it did not run and had not been stopped. */
  down: number
  answered: number
  failed: number
  scored: Map<number, number>
}

/** By the moment an hour begins. */
export type Hours = Map<number, Hour>

export const noHour = (): Hour => ({
  up: 0,
  good: 0,
  down: 0,
  answered: 0,
  failed: 0,
  scored: new Map(),
})

export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

function at(hours: Hours, ms: number): Hour {
  const start = hourOf(ms)
  const found = hours.get(start) ?? noHour()
  hours.set(start, found)
  return found
}

/** Calls with each hour between two moments and how much of it lies there. */
function eachPart(
  hours: Hours,
  from: number,
  to: number,
  add: (hour: Hour, ms: number) => void,
): void {
  for (let start = from; start < to;) {
    const end = Math.min(to, hourOf(start) + HOUR_MS)
    add(at(hours, start), end - start)
    start = end
  }
}

/** Adds a span in which the service ran, and what it was asked in it. */
export function addRan(
  hours: Hours,
  from: number,
  to: number,
  counts: Omit<RequestCounts, "kinds">,
): void {
  const { answered, failed, scored } = counts
  const share = answered + failed === 0 ? 1 : answered / (answered + failed)
  eachPart(hours, from, to, (hour, ms) => {
    hour.up += ms
    hour.good += ms * share
  })
  const hour = at(hours, to)
  hour.answered += answered
  hour.failed += failed
  for (const [timeClass, count] of scored)
    hour.scored.set(timeClass, (hour.scored.get(timeClass) ?? 0) + count)
}

/** Adds a span in which it did not run, without having been stopped. */
export function addDown(hours: Hours, from: number, to: number): void {
  const first = Math.max(from, to - LEVEL_DAYS * DAY_MS)
  eachPart(hours, first, to, (hour, ms) => {
    hour.down += ms
  })
}

/** Drops what is older than it is kept. */
export function dropOld(hours: Hours, nowMs: number): void {
  for (const start of hours.keys()) if (start < nowMs - LEVEL_DAYS * DAY_MS) hours.delete(start)
}

/** How long each point of a period is, and how many there are. */
const POINTS: Readonly<Record<ServicePeriod, readonly [ms: number, count: number]>> = {
  "24h": [HOUR_MS, 24],
  "7d": [6 * HOUR_MS, 28],
  "30d": [DAY_MS, 30],
  "90d": [DAY_MS, 90],
}

/** What was measured in a period that ends now. */
export function levelsOf(hours: Hours, period: ServicePeriod, nowMs: number): ServiceLevels {
  const [step, count] = POINTS[period]
  const end = Math.floor(nowMs / step) * step + step
  const from = end - count * step
  const points = Array.from({ length: count }, (_, n) => {
    const start = from + n * step
    const sum = summed(hours, start, start + step)
    return {
      from: new Date(start).toISOString(),
      availability: availabilityOf(sum),
      p95_ms: percentile(sum, 0.95),
    }
  })
  const sum = summed(hours, from, end)
  const first = [...hours].filter(([start, { up, down }]) => start >= from && up + down > 0)
  const scores = scoresIn(sum)
  return {
    period,
    from: new Date(from).toISOString(),
    to: new Date(nowMs).toISOString(),
    measured_from:
      first.length === 0
        ? null
        : new Date(Math.min(...first.map(([start]) => start))).toISOString(),
    availability: {
      objective: OBJECTIVE_SHARE,
      share: availabilityOf(sum),
      down_seconds: Math.round(sum.down / 1000),
    },
    latency: {
      objective_ms: OBJECTIVE_MS,
      requests_min: REQUESTS_MIN,
      p50_ms: percentile(sum, 0.5),
      p95_ms: percentile(sum, 0.95),
      p99_ms: percentile(sum, 0.99),
      within_objective: scores < REQUESTS_MIN ? null : withinObjective(sum) / scores,
    },
    points,
    counts: {
      answered: sum.answered,
      failed: sum.failed,
      scored: scores,
      measured_seconds: Math.round((sum.up + sum.down) / 1000),
    },
  }
}

function summed(hours: Hours, from: number, to: number): Hour {
  const sum = noHour()
  for (const [start, hour] of hours) {
    if (start < from || start >= to) continue
    sum.up += hour.up
    sum.good += hour.good
    sum.down += hour.down
    sum.answered += hour.answered
    sum.failed += hour.failed
    for (const [timeClass, count] of hour.scored)
      sum.scored.set(timeClass, (sum.scored.get(timeClass) ?? 0) + count)
  }
  return sum
}

function availabilityOf({ up, good, down }: Hour): number | null {
  return up + down === 0 ? null : good / (up + down)
}

function scoresIn({ scored }: Hour): number {
  return [...scored.values()].reduce((sum, count) => sum + count, 0)
}

function withinObjective({ scored }: Hour): number {
  return [...scored].reduce((sum, [timeClass, count]) => (timeClass > 0 ? sum : sum + count), 0)
}

/**
 * The time within which this share of scores was answered, at most a fifth too long; null where
 * there are too few to say.
 */
function percentile(hour: Hour, share: number): number | null {
  const all = scoresIn(hour)
  if (all < REQUESTS_MIN) return null
  let seen = 0
  for (const [timeClass, count] of [...hour.scored].sort(([a], [b]) => a - b)) {
    seen += count
    if (seen >= share * all) return Number(longestOf(timeClass).toPrecision(3))
  }
  return null
}
