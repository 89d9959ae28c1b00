import type { DecisionCounts, DecisionPeriod } from "@assay/core/contract"
import { ACTIONS, bandOf, BANDS, STAGES } from "@assay/core/score"
import { DAY_MS } from "@assay/runtime/time"
import { timeOfDecisionId } from "@assay/stores/decision-id"
import type { OutcomeCount, PastDecisions } from "@assay/stores/decisions"
import { openTimeSlices } from "../http/time-slices.ts"

const PERIOD_MS: Readonly<Record<DecisionPeriod, number>> = {
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "30d": 30 * DAY_MS,
}
/** Parts of one count: a million decisions of all tenants, and some seconds. */
const PARTS_MAX = 1_000
/**
 * It reads for a third of the time: requests that are scored beside it wait for one part at most.
 */
const REST_SHARE = 2
/**
 * A count is shown for this many times as long as it took: counting again and again stays cheap.
 */
const SHOWN_SHARE = 20
const SHOWN_MS_MAX = 60_000
/** Counts that are kept. */
const KEPT_MAX = 500

export interface CountedDecisions {
  of(tenantId: number, period: DecisionPeriod): Promise<DecisionCounts>
}

interface Kept {
  readonly counted: Promise<DecisionCounts>
  /** On the monotonic clock; Infinity while it is counted. */
  until: number
}

export interface CountingOptions {
  readonly past: Pick<PastDecisions, "count">
  readonly now: () => number
  readonly partsMax?: number
}

/** Counts what a tenant's decisions were, one count at a time. */
export function openDecisionCounts({
  past,
  now,
  partsMax = PARTS_MAX,
}: CountingOptions): CountedDecisions {
  const kept = new Map<string, Kept>()
  let last: Promise<unknown> = Promise.resolve()
  return {
    of(tenantId, period) {
      const name = `${tenantId} ${period}`
      const found = kept.get(name)
      if (found !== undefined && performance.now() < found.until) return found.counted
      const counted = last.then(async () => {
        const began = performance.now()
        const result = await count({ past, tenantId, period, nowMs: now(), partsMax })
        const ended = performance.now()
        own.until = ended + Math.min(SHOWN_MS_MAX, SHOWN_SHARE * (ended - began))
        return result
      })
      const own: Kept = { counted, until: Infinity }
      // The caller gets the error; the next count starts clean.
      last = counted.catch(() => void (own.until = 0))
      kept.delete(name)
      kept.set(name, own)
      const [oldest] = kept.keys()
      if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
      return counted
    },
  }
}

interface Wanted {
  readonly past: Pick<PastDecisions, "count">
  readonly tenantId: number
  readonly period: DecisionPeriod
  readonly nowMs: number
  readonly partsMax: number
}

async function count(of: Wanted): Promise<DecisionCounts> {
  const { past, tenantId, period, nowMs, partsMax } = of
  const from = nowMs - PERIOD_MS[period]
  const slices = openTimeSlices(undefined, 0, REST_SHARE)
  const counts = new Map<string, OutcomeCount>()
  let next: string | null = null
  for (let parts = 0; parts < partsMax; parts++) {
    const part = await past.count({ tenantId, from, ...(next !== null && { before: next }) })
    addAll(counts, part.counts)
    next = part.next
    if (next === null) break
    await slices.next()
  }
  return {
    period,
    from: new Date(from).toISOString(),
    to: new Date(nowMs).toISOString(),
    counted_from: new Date(next === null ? from : timeOfDecisionId(next)).toISOString(),
    complete: next === null,
    ...summed([...counts.values()]),
  }
}

/** At most one count for each kind, stage, action and score. */
function addAll(counts: Map<string, OutcomeCount>, more: readonly OutcomeCount[]): void {
  for (const one of more) {
    const name = `${one.identityType} ${one.stage} ${one.action} ${one.score}`
    const same = counts.get(name)
    if (same === undefined) counts.set(name, { ...one })
    else same.count += one.count
  }
}

type Sums = Pick<DecisionCounts, "total" | "subjects" | "actions" | "bands" | "stages">

function summed(counts: readonly OutcomeCount[]): Sums {
  const sum = (passes: (one: OutcomeCount) => boolean): number =>
    counts.reduce((all, one) => (passes(one) ? all + one.count : all), 0)
  const total = sum(() => true)
  const emails = sum(({ identityType }) => identityType === "email")
  const part = (count: number, of: number): { count: number; share: number | null } => ({
    count,
    share: of === 0 ? null : count / of,
  })
  return {
    total,
    subjects: (["email", "phone"] as const).map((subject) => ({
      subject,
      ...part(
        sum(({ identityType }) => identityType === subject),
        total,
      ),
    })),
    actions: ACTIONS.map((name) => ({
      action: name,
      ...part(
        sum(({ action }) => action === name),
        total,
      ),
    })),
    bands: BANDS.map(({ name }) => ({
      band: name,
      ...part(
        sum(({ score }) => bandOf(score) === name),
        total,
      ),
    })),
    stages: STAGES.map(({ name }) => ({
      stage: name,
      ...part(
        sum(({ stage }) => stage === name),
        emails,
      ),
    })),
  }
}
