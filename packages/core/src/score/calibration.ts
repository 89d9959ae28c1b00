import { clip, logit, logOddsOf, pointsOf, sigmoid, type Scale } from "./scale.ts"

// Far beyond both ends of the score, and close enough that a probability never prints as 0 or 1.
const LOG_ODDS_MAX = 30

/** A tenant's own fit: log-odds' = A · log-odds + B. */
export interface Calibration {
  readonly A: number
  readonly B: number
  /** Names the fit in explanations and decisions. */
  readonly hash?: string | null
}

export interface CalibrationBounds {
  readonly slopeMin: number
  readonly slopeMax: number
}

export interface Total {
  readonly p: number
  /** On the scale of the score, neither clipped nor rounded. */
  readonly points: number
}

/**
 * The total for a fused probability. A calibration may map it below what the evidence itself
 * guarantees, so the floor is applied once more after it.
 */
export function totalOf(
  scale: Scale,
  p: number,
  calibration: Calibration | null,
  floor: number | null,
): Total {
  const points = pointsFor(scale, p, calibration, floor)
  return { p: calibration === null ? p : sigmoid(logOddsOf(scale, points)), points }
}

/** The points of a total alone. */
export function pointsFor(
  scale: Scale,
  p: number,
  calibration: Calibration | null,
  floor: number | null,
): number {
  const logOdds = logit(p)
  if (calibration === null) return pointsOf(scale, logOdds)
  const fitted = clip(calibration.A * logOdds + calibration.B, -LOG_ODDS_MAX, LOG_ODDS_MAX)
  const mapped = pointsOf(scale, fitted)
  return floor !== null && mapped < floor ? floor : mapped
}

/** The calibration to use, null for none; fails for a slope that does not keep order and reach. */
export function usableCalibration(
  calibration: Calibration | null | undefined,
  bounds: CalibrationBounds,
): Calibration | null {
  if (calibration == null) return null
  const { A, B } = calibration
  if (!(A >= bounds.slopeMin && A <= bounds.slopeMax) || !Number.isFinite(B)) {
    throw new RangeError(
      `settings.calibration takes A from ${bounds.slopeMin} to ${bounds.slopeMax} and a finite B`,
    )
  }
  return calibration
}

/**
 * The prior to use; fails for one that is no probability, because its log-odds would be infinite.
 */
export function usablePrior(prior: number | null | undefined, usual: number, name: string): number {
  const used = prior ?? usual
  if (!(used > 0 && used < 1))
    throw new RangeError(`settings.${name} takes a number between 0 and 1`)
  return used
}
