import { appendFileSync, renameSync, writeFileSync } from "node:fs"
import { readIfPresent } from "@assay/runtime/if-present"
import {
  addKinds,
  type Budget,
  countDown,
  countRan,
  kindCounts,
  type Kinds,
  noBudget,
} from "./budget.ts"
import { addDown, addRan, type Hours } from "./levels.ts"
import type { KindCounts, RequestCounts } from "./request-counts.ts"

const HEADER = "assay service levels 2"
/** Without the error budget, which begins with the first start of this version. */
const FORMER_HEADER = "assay service levels 1"

/** A line of the file. */
export type Line =
  | ({ readonly type: "ran"; readonly from: number; readonly to: number } & RequestCounts)
  | { readonly type: "down"; readonly from: number; readonly to: number }
  | { readonly type: "stopped"; readonly at: number }
  | HourLine
  | { readonly type: "since"; readonly at: number }
  | { readonly type: "minute"; readonly at: number; readonly kinds: KindCounts }
  | DayLine
  | { readonly type: "until"; readonly at: number; readonly stopped: boolean }

interface DayLine {
  readonly type: "day"
  readonly at: number
  readonly up: number
  readonly down: number
  readonly kinds: KindCounts
}

type HourLine = Omit<RequestCounts, "kinds"> & {
  readonly type: "hour"
  readonly at: number
  readonly up: number
  readonly good: number
  readonly down: number
}

export interface Kept {
  readonly hours: Hours
  readonly budget: Budget
  /** Up to when it is known whether the service ran; null where nothing was ever written. */
  until: number | null
  /** Whether it had been stopped then. */
  stopped: boolean
}

/**
 * What a file says, by all its lines that are whole: a process may have died while it wrote one.
 * Null where it is of another format.
 */
export function readLevels(file: string): Kept | null {
  const kept = nothingKept()
  const text = readIfPresent(file)
  if (text === null || text === "") return kept
  const [header, ...lines] = text.split("\n")
  if (header !== HEADER && header !== FORMER_HEADER) return null
  for (const line of lines) {
    const read = readLine(line)
    if (read !== null) take(kept, read)
  }
  return kept
}

export function nothingKept(): Kept {
  return { hours: new Map(), budget: noBudget(), until: null, stopped: false }
}

function readLine(text: string): Line | null {
  try {
    return JSON.parse(text) as Line
  } catch {
    return null
  }
}

/** A budget by the lines that a file has of it, for others who count with it. */
export function budgetText(budget: Budget): string {
  return budgetLines(budget)
    .map((line) => JSON.stringify(line))
    .join("\n")
}

export function budgetFrom(text: string): Budget {
  const kept = nothingKept()
  for (const line of text.split("\n")) {
    const read = readLine(line)
    if (read !== null) take(kept, read)
  }
  return kept.budget
}

/** Takes a line over. */
export function take(kept: Kept, line: Line): void {
  const { budget } = kept
  switch (line.type) {
    case "hour": {
      const { up, good, down, answered, failed, scored } = line
      kept.hours.set(line.at, { up, good, down, answered, failed, scored: new Map(scored) })
      return
    }
    case "ran":
      addRan(kept.hours, line.from, line.to, line)
      if (budget.since !== null) countRan(budget, line.from, line.to, line.kinds)
      kept.until = line.to
      kept.stopped = false
      return
    case "down":
      addDown(kept.hours, line.from, line.to)
      if (budget.since !== null) countDown(budget, line.from, line.to)
      kept.until = line.to
      kept.stopped = false
      return
    case "stopped":
      kept.until = line.at
      kept.stopped = true
      return
    case "since":
      budget.since = line.at
      return
    case "minute":
      budget.minutes.set(line.at, kindsOf(line.kinds))
      return
    case "day":
      budget.days.set(line.at, { up: line.up, down: line.down, kinds: kindsOf(line.kinds) })
      return
    case "until":
      kept.until = line.at
      kept.stopped = line.stopped
      return
  }
}

function kindsOf(counts: KindCounts): Kinds {
  const kinds: Kinds = new Map()
  addKinds(kinds, counts)
  return kinds
}

export function appendLine(file: string, line: Line): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
}

/** Writes all of it anew: the old file or the new one is there, never half. */
export function writeLevels(file: string, { hours, budget, until, stopped }: Kept): void {
  const ofHours = [...hours]
    .sort(([a], [b]) => a - b)
    .map<Line>(([at, { scored, good, ...hour }]) => ({
      type: "hour",
      at,
      ...hour,
      good: Math.round(good),
      scored: [...scored],
    }))
  const lines: Line[] = [...ofHours, ...budgetLines(budget)]
  if (until !== null) lines.push({ type: "until", at: until, stopped })
  const text = [HEADER, ...lines.map((line) => JSON.stringify(line)), ""].join("\n")
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function budgetLines({ since, days, minutes }: Budget): Line[] {
  if (since === null) return []
  return [
    { type: "since", at: since },
    ...[...days].map<Line>(([at, { kinds, up, down }]) => ({
      type: "day",
      at,
      up,
      down,
      kinds: kindCounts(kinds),
    })),
    ...[...minutes].map<Line>(([at, kinds]) => ({ type: "minute", at, kinds: kindCounts(kinds) })),
  ]
}
