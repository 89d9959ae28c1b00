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
  if (present.includes(code)) return
  let at = present.push(code) - 1
  for (; at > 0; at--) {
    const before = present[at - 1] ?? 0
    if (before < code) break
    present[at] = before
  }
  present[at] = code
}

/** The contributions worth telling, most points first; equal points keep the order of the codes. */
export function leading(contributions: readonly Contribution[], rule: ReasonRule): Contribution[] {
  const most: Contribution[] = []
  for (const contribution of contributions) {
    if (!(contribution.points >= rule.pointsMin)) continue
    let at = most.length < rule.countMax ? most.push(contribution) - 1 : most.length
    for (; at > 0; at--) {
      const before = most[at - 1]
      if (before === undefined || !isBefore(contribution, before)) break
      if (at < rule.countMax) most[at] = before
    }
    if (at < rule.countMax) most[at] = contribution
  }
  return most
}

function isBefore(a: Contribution, b: Contribution): boolean {
  const more = roundHalfUp(a.points) - roundHalfUp(b.points)
  return more > 0 || (more === 0 && a.code < b.code)
}
