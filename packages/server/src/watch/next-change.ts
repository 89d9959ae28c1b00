import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { changeOf, dwellEnd, type LastTold, type Standing } from "./hysteresis.ts"

/** However little changes by itself, an item is looked at again after as many days. */
export const LOOKED_AT_DAYS = 30

/**
 * When an item is to be scored next if nothing arrives: at the first moment at which something
 * would be told, or after `LOOKED_AT_DAYS`. `standingAt` says how it stands at a later moment.
 * Waiting lowers scores and never raises them, so that moment is looked for by halves.
 *
 * Evidence about addresses is dated by day and changes at midnight UTC; that about numbers by hour.
 */
export function nextChangeAt(
  told: LastTold,
  nowMs: number,
  step: "day" | "hour",
  standingAt: (atMs: number) => Standing,
): number {
  const stepMs = step === "day" ? DAY_MS : HOUR_MS
  const steps = (LOOKED_AT_DAYS * DAY_MS) / stepMs
  const from = Math.floor(nowMs / stepMs) * stepMs
  const momentOf = (n: number): number => from + n * stepMs
  const isTold = (n: number): boolean =>
    changeOf(told, standingAt(momentOf(n)), momentOf(n), true) !== null
  // Of what could be told now, only the dwell can be in the way.
  if (changeOf(told, standingAt(nowMs), nowMs, true) !== null)
    return Math.max(nowMs, dwellEnd(told.roseAt))
  let before = 0
  let after = steps
  if (!isTold(after)) return momentOf(steps)
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (isTold(middle)) after = middle
    else before = middle
  }
  return Math.max(momentOf(after), dwellEnd(told.roseAt))
}
