import { type Band, BANDS, STAGES, type Stage } from "@assay/core/score"
import { DAY_MS } from "@assay/runtime/time"

// Model 1.0, section 5.9: a rise is told at once. A fall is told when the score is clear of the
// edge and a day has passed since the last rise, so that a score that goes up and down around an
// edge wakes nobody twice. What is told is always what a look-up answers at that moment.

/** Where an identity stands. */
export interface Standing {
  readonly score: number
  /** null for a phone number. */
  readonly stage: Stage | null
  readonly band: Band
}

/** How far below the edge a score must be for the band to be left. */
const MARGIN = 3
export const DWELL_MS = DAY_MS

export interface LastTold {
  readonly standing: Standing
  /** When stage or band last went up; null: never since it is watched. */
  readonly roseAt: number | null
}

export type Change = "rise" | "fall"

/**
 * What is to be told of an identity that stands so now; null where that is nothing. `labelled`: the
 * tenant itself reported something new, for which nobody has to wait.
 */
export function changeOf(
  { standing: told, roseAt }: LastTold,
  now: Standing,
  nowMs: number,
  labelled: boolean,
): Change | null {
  if (isHigher(now, told)) return "rise"
  if (!isClearlyLower(now, told)) return null
  return labelled || nowMs >= dwellEnd(roseAt) ? "fall" : null
}

/** From when on a fall may be told. */
export function dwellEnd(roseAt: number | null): number {
  return roseAt === null ? 0 : roseAt + DWELL_MS
}

function isHigher(now: Standing, told: Standing): boolean {
  return rankOfBand(now) > rankOfBand(told) || rankOfStage(now) > rankOfStage(told)
}

function isClearlyLower(now: Standing, told: Standing): boolean {
  if (rankOfStage(now) < rankOfStage(told)) return true
  const edge = BANDS[rankOfBand(told)]?.from ?? 0
  return rankOfBand(now) < rankOfBand(told) && now.score <= edge - MARGIN
}

function rankOfBand({ band }: Standing): number {
  return BANDS.findIndex(({ name }) => name === band)
}

function rankOfStage({ stage }: Standing): number {
  return STAGES.findIndex(({ name }) => name === stage)
}
