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
  let sum = 0
  for (const factor of factors) sum += shareOf(factor, none, all)
  // Evidence so redundant that no single piece makes a difference, alone or missing: each counts
  // the same, since a raised score must never come without a reason.
  const equal = (all - none) / factors.length
  return factors.map((factor) => ({
    code: factor.code,
    points: sum === 0 ? equal : (shareOf(factor, none, all) * (all - none)) / sum,
  }))
}

function shareOf({ alone, without }: Factor, none: number, all: number): number {
  return (alone - none + (all - without)) / 2
}

/** Adds a code to those that are present: each once, in tie order. */
export function addCode(present: number[], code: number): void {
  let at = present.length
  while (at > 0 && (present[at - 1] ?? 0) > code) at--
  if (at === 0 || present[at - 1] !== code) present.splice(at, 0, code)
}

/** The contributions worth telling, most points first; equal points keep the order of the codes. */
export function leading(contributions: readonly Contribution[], rule: ReasonRule): Contribution[] {
  const most: Contribution[] = []
  for (const contribution of contributions) {
    if (!(contribution.points >= rule.pointsMin)) continue
    let at = most.length
    while (at > 0 && isBefore(contribution, most[at - 1])) at--
    if (at < rule.countMax) most.splice(at, 0, contribution)
    if (most.length > rule.countMax) most.pop()
  }
  return most
}

function isBefore(a: Contribution, b: Contribution | undefined): boolean {
  if (b === undefined) return false
  const more = roundHalfUp(a.points) - roundHalfUp(b.points)
  return more > 0 || (more === 0 && a.code < b.code)
}
