import { appendFileSync, renameSync, writeFileSync } from "node:fs"
import { readIfPresent } from "@assay/runtime/if-present"
import { addDown, addRan, type Hours } from "./levels.ts"
import type { RequestCounts } from "./request-counts.ts"

const HEADER = "assay service levels 1"

/** A line of the file. */
export type Line =
  | ({ readonly type: "ran"; readonly from: number; readonly to: number } & RequestCounts)
  | { readonly type: "down"; readonly from: number; readonly to: number }
  | { readonly type: "stopped"; readonly at: number }
  | HourLine
  | { readonly type: "until"; readonly at: number; readonly stopped: boolean }

type HourLine = RequestCounts & {
  readonly type: "hour"
  readonly at: number
  readonly up: number
  readonly good: number
  readonly down: number
}

export interface Kept {
  readonly hours: Hours
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
  const kept: Kept = { hours: new Map(), until: null, stopped: false }
  const text = readIfPresent(file)
  if (text === null || text === "") return kept
  const [header, ...lines] = text.split("\n")
  if (header !== HEADER) return null
  for (const line of lines) {
    const read = readLine(line)
    if (read !== null) take(kept, read)
  }
  return kept
}

function readLine(text: string): Line | null {
  try {
    return JSON.parse(text) as Line
  } catch {
    return null
  }
}

/** Takes a line over. */
export function take(kept: Kept, line: Line): void {
  switch (line.type) {
    case "hour": {
      const { up, good, down, answered, failed, scored } = line
      kept.hours.set(line.at, { up, good, down, answered, failed, scored: new Map(scored) })
      return
    }
    case "ran":
      addRan(kept.hours, line.from, line.to, line)
      kept.until = line.to
      kept.stopped = false
      return
    case "down":
      addDown(kept.hours, line.from, line.to)
      kept.until = line.to
      kept.stopped = false
      return
    case "stopped":
      kept.until = line.at
      kept.stopped = true
      return
    case "until":
      kept.until = line.at
      kept.stopped = line.stopped
      return
  }
}

export function appendLine(file: string, line: Line): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
}

/** Writes all of it anew, an hour a line: the old file or the new one is there, never half. */
export function writeLevels(file: string, { hours, until, stopped }: Kept): void {
  const lines: Line[] = [...hours]
    .sort(([a], [b]) => a - b)
    .map(([at, { scored, good, ...hour }]) => ({
      type: "hour",
      at,
      ...hour,
      good: Math.round(good),
      scored: [...scored],
    }))
  if (until !== null) lines.push({ type: "until", at: until, stopped })
  const text = [HEADER, ...lines.map((line) => JSON.stringify(line)), ""].join("\n")
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
