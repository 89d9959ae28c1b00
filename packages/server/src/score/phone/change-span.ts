/** A minute: keeps an age that is less than a limit below it, and in the band that ends there. */
export const JUST_UNDER_DAYS = 1 / (24 * 60)

/**
 * When something last changed, as far as is known: an age in days between the two. Both are equal
 * for a known date.
 */
export interface ChangeSpan {
  readonly atLeast: number
  readonly atMost: number
}

/** The change that is newer for certain; if neither is, the one that may be newer. */
export function newerChange(one: ChangeSpan | null, other: ChangeSpan | null): ChangeSpan | null {
  if (one === null || other === null) return one ?? other
  if (one.atMost !== other.atMost) return one.atMost < other.atMost ? one : other
  return one.atLeast <= other.atLeast ? one : other
}

/**
 * The age a change is scored with: the oldest that the span allows, since a change must not look
 * fresher than anyone said. A verification inside the span may have come before or after the
 * change. The change is then taken to be no older than the verification, because only a change
 * after it matters.
 */
export function scoredAge({ atLeast, atMost }: ChangeSpan, verifiedAge: number): number {
  return atLeast <= verifiedAge && verifiedAge < atMost ? verifiedAge : atMost
}

/** The far end as the carrier stated it: the scored end is a moment less, to stay within it. */
export function statedFarEnd({ atMost }: ChangeSpan): number {
  const hours = Math.round((atMost + JUST_UNDER_DAYS) * 24)
  return Math.max(atMost, hours / 24)
}

/** Whether two things changed within `days` of each other; undefined if the spans leave it open. */
export function changedTogether(
  one: ChangeSpan,
  other: ChangeSpan,
  days: number,
): boolean | undefined {
  const furthest = Math.max(one.atMost - other.atLeast, other.atMost - one.atLeast)
  if (furthest <= days) return true
  const nearest = Math.max(one.atLeast - other.atMost, other.atLeast - one.atMost)
  return nearest > days ? false : undefined
}
