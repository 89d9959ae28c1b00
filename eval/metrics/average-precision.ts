import type { Outcome } from "@assay/core/score"
import { thresholds } from "./thresholds.ts"

/** Precision averaged over the recall each threshold adds; null where nothing is bad. */
export function averagePrecision(outcomes: readonly Outcome[]): number | null {
  const bad = outcomes.filter((outcome) => outcome.bad).length
  if (bad === 0) return null
  let sum = 0
  let before = 0
  for (const { bad: found, rows } of thresholds(outcomes)) {
    sum += ((found - before) / bad) * (found / rows)
    before = found
  }
  return sum
}
