// Waiting never raises a score or a stage, so the first day on which something is otherwise can be
// looked for by halves.

/** How far ahead anybody plans. */
export const HORIZON_DAYS = 3_650

/** The first day from now, up to the horizon, on which `hasChanged`; null for none. */
export function firstChange(hasChanged: (days: number) => boolean): number | null {
  if (!hasChanged(HORIZON_DAYS)) return null
  let before = 0
  let after = HORIZON_DAYS
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (hasChanged(middle)) after = middle
    else before = middle
  }
  return after
}

/** Whole years of the horizon, for a sentence. */
export const HORIZON_YEARS = Math.floor(HORIZON_DAYS / 365)
