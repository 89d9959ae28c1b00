import { roundHalfUp } from "./scale.ts"

/** A factor with the scores that its presence and absence make, on the clipped scale, unrounded. */
export interface Factor {
  /** Place of its code in the list of reason codes. */
  readonly code: number
  /** The score with this factor alone. */
  readonly alone: number
  /** The score with every factor but this one. */
  readonly without: number
}

export interface Contribution {
  readonly code: number
  readonly points: number
}

export interface ReasonRule {
  readonly pointsMin: number
  readonly countMax: number
}

/**
 * Divides what the evidence adds to the score among its factors: each gets the mean of what it adds
 * to nothing and what it adds to all the others, scaled so that the points add up exactly. Taking
 * only the second would give redundant findings no points at all.
 */
export function contributionsOf(
  factors: readonly Factor[],
  none: number,
  all: number,
): Contribution[] {
  if (factors.length === 0) return []
  const shares = factors.map(({ alone, without }) => (alone - none + (all - without)) / 2)
  let sum = 0
  for (const share of shares) sum += share
  // Evidence so redundant that no single piece makes a difference, alone or missing: each counts
  // the same, since a raised score must never come without a reason.
  const equal = (all - none) / factors.length
  return factors.map(({ code }, i) => ({
    code,
    points: sum === 0 ? equal : ((shares[i] ?? 0) * (all - none)) / sum,
  }))
}

/** The codes that are present, in tie order. They may be more than a number has bits. */
export function placesOf(present: readonly boolean[]): number[] {
  const places: number[] = []
  for (let place = 0; place < present.length; place++) {
    if (present[place] === true) places.push(place)
  }
  return places
}

/** The contributions worth telling, most points first; equal points keep the order of the codes. */
export function leading(contributions: readonly Contribution[], rule: ReasonRule): Contribution[] {
  if (contributions.length === 0) return []
  return contributions
    .filter(({ points }) => points >= rule.pointsMin)
    .sort((a, b) => roundHalfUp(b.points) - roundHalfUp(a.points) || a.code - b.code)
    .slice(0, rule.countMax)
}
