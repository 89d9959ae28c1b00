import type { Outcome } from "@assay/core/score"
import { thresholds } from "./thresholds.ts"

/** Share of good rows selected, and share of bad ones. */
export type RocPoint = readonly [falseAlarms: number, found: number]

/**
 * The ROC curve at false-alarm rates from 0 to 1. The rates lie closer together near 0, where the
 * curve bends.
 */
export function rocCurve(outcomes: readonly Outcome[], points: number): RocPoint[] {
  const corners = rocCorners(outcomes)
  return Array.from({ length: points }, (_, i) => {
    const falseAlarms = (i / (points - 1)) ** 2
    return [falseAlarms, foundAt(corners, falseAlarms)] as const
  })
}

function rocCorners(outcomes: readonly Outcome[]): RocPoint[] {
  const bad = outcomes.filter((outcome) => outcome.bad).length
  const good = outcomes.length - bad
  return [
    [0, 0],
    ...thresholds(outcomes).map(
      (threshold) => [(threshold.rows - threshold.bad) / good, threshold.bad / bad] as const,
    ),
  ]
}

/**
 * The highest point of the curve at a false-alarm rate, on the straight line between its corners.
 */
function foundAt(corners: readonly RocPoint[], falseAlarms: number): number {
  let [leftX, leftY]: RocPoint = [0, 0]
  for (const [x, y] of corners) {
    if (x > falseAlarms) return leftY + ((y - leftY) * (falseAlarms - leftX)) / (x - leftX)
    ;[leftX, leftY] = [x, y]
  }
  return leftY
}
