import { renameSync } from "node:fs"
import type { ErrorBudget, ServiceLevels, ServicePeriod } from "@assay/core/contract"
import type { Log } from "@assay/runtime/log"
import { monthOf } from "@assay/runtime/time"
import {
  addKinds,
  type Budget,
  budgetOf,
  countRan,
  dropOldBudget,
  kindCounts,
  type Kinds,
} from "./budget.ts"
import { addRan, dropOld, hourOf, type Hours, levelsOf } from "./levels.ts"
import {
  appendLine,
  type Kept,
  type Line,
  nothingKept,
  readLevels,
  take,
  writeLevels,
} from "./levels-file.ts"
import { noRequests, type RequestCounts } from "./request-counts.ts"

/** How often it is noted that the service runs; so much is lost when it is killed. */
const NOTED_MS = 10_000

export interface LevelsKeeper {
  /** The service is ready. Since when it was not, without having been stopped, it was down. */
  begin(): void
  /** What a worker counted. One that is heard of runs. */
  add(counts: RequestCounts): void
  levels(period: ServicePeriod): ServiceLevels
  /** The error budget of a month such as 2026-11; the present one unless given. */
  budget(month?: string): ErrorBudget
  /** All that is kept of it, up to now. */
  kept(): Budget
  /** Requests that count for it since the service was started. */
  counted(): Kinds
  /** Notes that the service was stopped: what follows is nobody's fault. */
  stop(): void
}

export interface LevelsOptions {
  readonly file: string
  readonly now: () => number
  /** A monotonic clock: how long the service ran does not depend on who sets the other one. */
  readonly elapsed: () => number
  readonly log: Log
}

/**
 * Keeps the figures by which the service measures itself, in the primary. Measuring never stops the
 * service: a file that cannot be written is told in the log, and what it lacks is written later.
 */
export function keepLevels({ file, now, elapsed, log }: LevelsOptions): LevelsKeeper {
  const kept = opened(file, log)
  const counted: Kinds = new Map()
  let counts = noRequests
  let notedAt = elapsed()
  let heard = true
  let written: number | null = null
  let timer: NodeJS.Timeout | undefined

  const quietly = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      log.warn("the figures of the service could not be written", { error })
    }
  }
  const keep = (line: Line): void => {
    take(kept, line)
    quietly(() => appendLine(file, line))
  }
  const rewrite = (): void => {
    dropOld(kept.hours, now())
    dropOldBudget(kept.budget, now())
    quietly(() => writeLevels(file, kept))
    written = hourOf(now())
  }
  const span = (): { from: number; to: number } => ({
    from: Math.round(now() - (elapsed() - notedAt)),
    to: now(),
  })
  const note = (): void => {
    keep(heard ? { type: "ran", ...span(), ...counts } : { type: "down", ...span() })
    counts = noRequests
    notedAt = elapsed()
    heard = false
    if (written !== hourOf(now())) rewrite()
  }

  const upToNow = (): Budget => {
    const budget = structuredClone(kept.budget)
    const { from, to } = span()
    if (timer !== undefined) countRan(budget, from, to, counts.kinds)
    return budget
  }

  return {
    begin() {
      const { until, stopped } = kept
      if (until !== null && !stopped && until < now())
        take(kept, { type: "down", from: until, to: now() })
      kept.until = now()
      kept.stopped = false
      kept.budget.since ??= now()
      rewrite()
      notedAt = elapsed()
      heard = true
      timer = setInterval(note, NOTED_MS)
    },
    add(more) {
      heard = true
      counts = sum(counts, more)
      addKinds(counted, more.kinds)
    },
    levels(period) {
      const hours: Hours = structuredClone(kept.hours)
      const { from, to } = span()
      if (timer !== undefined) addRan(hours, from, to, counts)
      return levelsOf(hours, period, now())
    },
    budget: (month = monthOf(now())) => budgetOf(upToNow(), month, now()),
    kept: upToNow,
    counted: () => counted,
    stop() {
      if (timer === undefined) return
      clearInterval(timer)
      timer = undefined
      note()
      keep({ type: "stopped", at: now() })
    },
  }
}

function opened(file: string, log: Log): Kept {
  const kept = readLevels(file)
  if (kept !== null) return kept
  log.warn("figures of the service in another format are set aside, and measuring begins anew")
  renameSync(file, `${file}.set-aside`)
  return nothingKept()
}

function sum(a: RequestCounts, b: RequestCounts): RequestCounts {
  const scored = new Map(a.scored)
  for (const [timeClass, count] of b.scored)
    scored.set(timeClass, (scored.get(timeClass) ?? 0) + count)
  const kinds: Kinds = new Map()
  addKinds(kinds, a.kinds)
  addKinds(kinds, b.kinds)
  return {
    answered: a.answered + b.answered,
    failed: a.failed + b.failed,
    scored: [...scored],
    kinds: kindCounts(kinds),
  }
}
