/**
 * Ties points to log-odds, as a document writes it: `anchorPoints` stands for odds of 1 :
 * `anchorOdds`.
 */
export interface ScaleDocument {
  readonly anchorPoints: number
  readonly anchorOdds: number
  /** Points that double the odds. */
  readonly pointsToDouble: number
}

/** The same with what every conversion needs, computed once. */
export interface Scale {
  readonly anchorPoints: number
  /** Log-odds against, at the anchor. */
  readonly anchorNats: number
  readonly pointsPerNat: number
  readonly natsPerPoint: number
}

export function scaleOf({ anchorPoints, anchorOdds, pointsToDouble }: ScaleDocument): Scale {
  return {
    anchorPoints,
    anchorNats: Math.log(anchorOdds),
    pointsPerNat: pointsToDouble / Math.LN2,
    natsPerPoint: Math.LN2 / pointsToDouble,
  }
}

export function pointsOf(scale: Scale, logOdds: number): number {
  return scale.anchorPoints + scale.pointsPerNat * (logOdds + scale.anchorNats)
}

export function logOddsOf(scale: Scale, points: number): number {
  return (points - scale.anchorPoints) * scale.natsPerPoint - scale.anchorNats
}

export function logit(p: number): number {
  return Math.log(p / (1 - p))
}

export function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}

/** The probability that a score of a model stands for. */
export function probabilityOf(score: number, scale: ScaleDocument): number {
  return sigmoid(logOddsOf(scaleOf(scale), score))
}

/** The chance that at least one of two independent causes acts (noisy-OR). */
export function eitherOf(p: number, q: number): number {
  return 1 - (1 - p) * (1 - q)
}

export function clip(value: number, min: number, max: number): number {
  return value < min ? min : value > max ? max : value
}

/** Rounds halves up, and never to -0, which would print differently. */
export function roundHalfUp(value: number): number {
  return Math.floor(value + 0.5) + 0
}

/** The share left after `days` when half is gone every `halfLifeDays`. */
export function decayed(days: number, halfLifeDays: number): number {
  return 2 ** (-days / halfLifeDays)
}

/** Points [x, y] with ascending x. */
export type Piecewise = readonly (readonly [number, number])[]

/** Linear between the points of the table, flat outside. */
export function interpolated(table: Piecewise, x: number): number {
  let left = table[0]
  if (left === undefined) throw new RangeError("a piecewise table needs at least one point")
  if (x <= left[0]) return left[1]
  for (const right of table) {
    if (x <= right[0] && right !== left) {
      return left[1] + ((right[1] - left[1]) * (x - left[0])) / (right[0] - left[0])
    }
    left = right
  }
  return left[1]
}

/**
 * The value of the highest step reached: steps [at least, value] ascend; below the first it is 0.
 */
export function steppedUp(steps: Piecewise, x: number): number {
  let value = 0
  for (const [atLeast, reached] of steps) {
    if (x < atLeast) break
    value = reached
  }
  return value
}

/**
 * The value of the first step not passed: steps [at most, value] ascend; above the last it is 0.
 */
export function steppedDown(steps: Piecewise, x: number): number {
  for (const [atMost, held] of steps) if (x <= atMost) return held
  return 0
}
