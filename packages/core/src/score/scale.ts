/** Ties points to log-odds: `anchorPoints` stands for odds of 1 : `anchorOdds`. */
export interface Scale {
  readonly anchorPoints: number
  readonly anchorOdds: number
  /** Points that double the odds. */
  readonly pointsToDouble: number
}

export function pointsOf(scale: Scale, logOdds: number): number {
  const pointsPerNat = scale.pointsToDouble / Math.LN2
  return scale.anchorPoints + pointsPerNat * (logOdds + Math.log(scale.anchorOdds))
}

export function logOddsOf(scale: Scale, points: number): number {
  const natsPerPoint = Math.LN2 / scale.pointsToDouble
  return (points - scale.anchorPoints) * natsPerPoint - Math.log(scale.anchorOdds)
}

export function logit(p: number): number {
  return Math.log(p / (1 - p))
}

export function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
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

/**
 * Sums values given in descending order, each discounted by its rank: correlated findings do not
 * add up as if they were independent, and one more finding never lowers the sum.
 */
export function discountedSum(descending: readonly number[], discount: number): number {
  let sum = 0
  let share = 1
  for (const value of descending) {
    sum += share * value
    share *= discount
  }
  return sum
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
