import {
  type ErrorBudget,
  OBJECTIVE_SHARE,
  REQUEST_KINDS,
  type RequestKind,
} from "@assay/core/contract"
import { DAY_MS, dayOf, HOUR_MS, MINUTE_MS, startOfNextMonth } from "@assay/runtime/time"
import type { KindCounts } from "./request-counts.ts"

/** How long days are kept: the same month of last year can be looked at. */
export const BUDGET_DAYS = 400
/** How long minutes are kept; after that only the counts of their day are. */
export const MINUTES_MS = DAY_MS
const BURN_HOURS = [1, 6, 24] as const
const WORST_MAX = 10

export interface Counted {
  total: number
  good: number
}
export type Kinds = Map<RequestKind, Counted>

/** What is kept of a day. Times are in milliseconds. */
export interface Day {
  /** While it was noted that the service ran. */
  up: number
  /** While it did not run and had not been stopped. */
  down: number
  readonly kinds: Kinds
}

export interface Budget {
  /** Since when requests are counted; null: they never were. */
  since: number | null
  /** By the moment a day of UTC begins. */
  readonly days: Map<number, Day>
  /** By the moment a minute begins; those without requests are not there. */
  readonly minutes: Map<number, Kinds>
}

export const noBudget = (): Budget => ({ since: null, days: new Map(), minutes: new Map() })

const startOf = (ms: number, step: number): number => Math.floor(ms / step) * step

function dayAt({ days }: Budget, ms: number): Day {
  const start = startOf(ms, DAY_MS)
  const found = days.get(start) ?? { up: 0, down: 0, kinds: new Map() }
  days.set(start, found)
  return found
}

export function addKinds(sums: Kinds, counts: KindCounts): void {
  for (const [kind, total, good] of counts) {
    const sum = sums.get(kind) ?? { total: 0, good: 0 }
    sum.total += total
    sum.good += good
    sums.set(kind, sum)
  }
}

export function kindCounts(kinds: Kinds): KindCounts {
  return [...kinds].map(([kind, { total, good }]) => [kind, total, good])
}

function addTime(budget: Budget, member: "up" | "down", from: number, to: number): void {
  for (let start = from; start < to;) {
    const end = Math.min(to, startOf(start, DAY_MS) + DAY_MS)
    dayAt(budget, start)[member] += end - start
    start = end
  }
}

/**
 * Adds a span in which the service ran, and what it was asked. It says every ten seconds that it
 * runs: a process that said nothing for longer than a minute was held, and did not run until then.
 */
export function countRan(budget: Budget, from: number, to: number, counts: KindCounts): void {
  addTime(budget, "up", Math.max(from, to - MINUTE_MS), to)
  if (counts.length === 0) return
  // A span that ends at midnight is of the day before.
  const last = Math.max(from, to - 1)
  addKinds(dayAt(budget, last).kinds, counts)
  const minute = startOf(last, MINUTE_MS)
  const kinds: Kinds = budget.minutes.get(minute) ?? new Map()
  addKinds(kinds, counts)
  budget.minutes.set(minute, kinds)
}

/** Adds a span in which it did not run, without having been stopped. */
export function countDown(budget: Budget, from: number, to: number): void {
  addTime(budget, "down", Math.max(from, to - BUDGET_DAYS * DAY_MS), to)
}

/**
 * What several nodes counted, as one service: requests add up, and where one node runs the service
 * does. So each day it ran at least as long as the node that ran longest.
 */
export function budgetOfAll(budgets: readonly Budget[]): Budget {
  const all = noBudget()
  for (const { since, minutes } of budgets) {
    if (since !== null) all.since = Math.min(all.since ?? Infinity, since)
    for (const [start, kinds] of minutes) {
      const sums: Kinds = all.minutes.get(start) ?? new Map()
      addKinds(sums, kindCounts(kinds))
      all.minutes.set(start, sums)
    }
  }
  for (const start of new Set(budgets.flatMap(({ days }) => [...days.keys()]))) {
    const ofNodes = budgets.flatMap(({ days }) => days.get(start) ?? [])
    const [longest] = ofNodes.toSorted((a, b) => b.up - a.up || a.down - b.down)
    const kinds: Kinds = new Map()
    for (const day of ofNodes) addKinds(kinds, kindCounts(day.kinds))
    all.days.set(start, { up: longest?.up ?? 0, down: longest?.down ?? 0, kinds })
  }
  return all
}

/** Drops what is older than it is kept. */
export function dropOldBudget({ days, minutes }: Budget, nowMs: number): void {
  for (const start of days.keys()) if (start < oldestDay(nowMs)) days.delete(start)
  for (const start of minutes.keys()) if (start < nowMs - MINUTES_MS) minutes.delete(start)
}

function oldestDay(nowMs: number): number {
  return startOf(nowMs, DAY_MS) - BUDGET_DAYS * DAY_MS
}

/** What was counted of a month of UTC such as 2026-11. */
export function budgetOf(budget: Budget, month: string, nowMs: number): ErrorBudget {
  const from = Date.parse(`${month}-01T00:00:00Z`)
  const end = startOfNextMonth(from)
  const to = Math.max(from, Math.min(nowMs, end))
  const isPresent = nowMs >= from && nowMs < end
  const since = Math.max(budget.since ?? Infinity, from, oldestDay(nowMs))
  const measuredFrom = since < to ? since : null
  const days = daysOf(budget, from, to, measuredFrom)
  const ofMonth = [...budget.days].filter(([start]) => start >= from && start < end)
  const kinds: Kinds = new Map(REQUEST_KINDS.map((kind) => [kind, { total: 0, good: 0 }]))
  for (const [, day] of ofMonth) addKinds(kinds, kindCounts(day.kinds))
  const requests = summed([...kinds.values()])
  const runningSeconds = days.reduce((sum, day) => sum + day.running_seconds, 0)
  const notRunning = days.reduce((sum, day) => sum + day.not_running_seconds, 0)
  const measured = runningSeconds + notRunning
  return {
    month,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    measured_from: measuredFrom === null ? null : new Date(measuredFrom).toISOString(),
    objective: OBJECTIVE_SHARE,
    requests,
    availability: shareOf(requests),
    budget: {
      allowed: Math.floor(allowedOf(requests)),
      left: requests.total === 0 ? null : 1 - requests.failed / allowedOf(requests),
    },
    running: {
      running_seconds: runningSeconds,
      not_running_seconds: notRunning,
      down_seconds: Math.round(ofMonth.reduce((sum, [, { down }]) => sum + down, 0) / 1000),
      share: measured === 0 ? null : runningSeconds / measured,
    },
    burn: isPresent ? BURN_HOURS.map((hours) => burnOf(budget, hours, nowMs)) : [],
    kinds: [...kinds].map(([kind, counted]) => ({
      kind,
      ...summed([counted]),
      availability: shareOf(counted),
    })),
    days,
    worst_minutes: isPresent ? worstMinutes(budget, nowMs) : [],
  }
}

function daysOf(
  budget: Budget,
  from: number,
  to: number,
  measuredFrom: number | null,
): ErrorBudget["days"] {
  return Array.from({ length: Math.ceil((to - from) / DAY_MS) }, (_, n) => {
    const start = from + n * DAY_MS
    const day = budget.days.get(start)
    const counted = summed([...(day?.kinds.values() ?? [])])
    const elapsed = Math.max(
      0,
      Math.min(to, start + DAY_MS) - Math.max(start, measuredFrom ?? Infinity),
    )
    // A clock that was set back lets a day run longer than it lasted.
    const up = Math.min(day?.up ?? 0, elapsed)
    const runningSeconds = Math.floor(up / 1000)
    return {
      day: dayOf(start),
      ...counted,
      availability: shareOf(counted),
      running_seconds: runningSeconds,
      not_running_seconds: Math.floor(elapsed / 1000) - runningSeconds,
    }
  })
}

function burnOf(budget: Budget, hours: number, nowMs: number): ErrorBudget["burn"][number] {
  const counted = summed(
    [...budget.minutes]
      .filter(([start]) => start >= nowMs - hours * HOUR_MS && start <= nowMs)
      .flatMap(([, kinds]) => [...kinds.values()]),
  )
  const { total, failed } = counted
  return { hours, ...counted, rate: total === 0 ? null : failed / allowedOf(counted) }
}

function worstMinutes(budget: Budget, nowMs: number): ErrorBudget["worst_minutes"] {
  return [...budget.minutes]
    .filter(([start]) => start >= nowMs - MINUTES_MS && start <= nowMs)
    .map(([start, kinds]) => ({
      at: new Date(start).toISOString(),
      ...summed([...kinds.values()]),
    }))
    .filter(({ failed }) => failed > 0)
    .sort((a, b) => b.failed - a.failed || (a.at < b.at ? -1 : 1))
    .slice(0, WORST_MAX)
}

function summed(all: readonly Counted[]): ErrorBudget["requests"] {
  const total = all.reduce((sum, each) => sum + each.total, 0)
  const good = all.reduce((sum, each) => sum + each.good, 0)
  return { total, good, failed: total - good }
}

function shareOf({ total, good }: Counted): number | null {
  return total === 0 ? null : good / total
}

/** As a whole number of a million, since 1 - 0.999 is not quite 0.001. */
const ALLOWED_PER_MILLION = Math.round((1 - OBJECTIVE_SHARE) * 1_000_000)

function allowedOf({ total }: Counted): number {
  return (total * ALLOWED_PER_MILLION) / 1_000_000
}
