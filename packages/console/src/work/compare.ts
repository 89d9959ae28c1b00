import type { ComparedLine } from "@assay/client"
import type { Comparison } from "./kinds.ts"

export const NOTHING: Comparison = { looked: 0, reached: null, changed: [], summary: null }

/** Decisions that are listed one by one. */
const LISTED = 100

/** A comparison with one more line. */
export function withLine(before: Comparison, line: ComparedLine): Comparison {
  if (line.type === "progress") return { ...before, looked: line.decisions, reached: line.reached }
  if (line.type === "summary") return { ...before, looked: line.decisions, summary: line }
  if (before.changed.length >= LISTED) return before
  return { ...before, changed: [...before.changed, line] }
}
