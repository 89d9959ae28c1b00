import type { Outcome } from "@assay/core/score"
import { thresholds } from "./thresholds.ts"

/**
 * How many times the base rate the bad rate among the top share is; null where nothing is bad.
 * Where equal probabilities lie across the edge, it is what one would get by choosing among them
 * blindly.
 */
export function topLift(outcomes: readonly Outcome[], share: number): number | null {
  const bad = outcomes.filter((outcome) => outcome.bad).length
  if (bad === 0) return null
  const wanted = outcomes.length * share
  let before = { rows: 0, bad: 0 }
  for (const threshold of thresholds(outcomes)) {
    if (threshold.rows >= wanted) {
      const part = (wanted - before.rows) / (threshold.rows - before.rows)
      const found = before.bad + part * (threshold.bad - before.bad)
      return found / wanted / (bad / outcomes.length)
    }
    before = threshold
  }
  return 1
}
