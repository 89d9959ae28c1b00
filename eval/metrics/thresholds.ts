import type { Outcome } from "@assay/core/score"

/** Everything at or above one probability. */
export interface Threshold {
  readonly rows: number
  readonly bad: number
}

/**
 * What each threshold selects, the highest first. Equal probabilities pass a threshold together.
 */
export function thresholds(outcomes: readonly Outcome[]): Threshold[] {
  const sorted = outcomes.toSorted((one, other) => other.p - one.p)
  const found: Threshold[] = []
  let bad = 0
  sorted.forEach((outcome, i) => {
    if (outcome.bad) bad++
    if (sorted[i + 1]?.p !== outcome.p) found.push({ rows: i + 1, bad })
  })
  return found
}
