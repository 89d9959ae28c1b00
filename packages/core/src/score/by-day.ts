/** Eleven years; evidence is dated by day, and older evidence is rare. */
const DAYS_KEPT = 4_096

/**
 * A function of days whose values for whole days are kept once they were computed: powers are the
 * dearest part of weighing an item.
 */
export class ByDay {
  readonly #compute: (days: number) => number
  /** By day; 0 for one that nobody asked for yet. */
  readonly #kept = new Float64Array(DAYS_KEPT)

  constructor(compute: (days: number) => number) {
    this.#compute = compute
  }

  at(days: number): number {
    const day = days | 0
    if (day !== days || day < 0 || day >= DAYS_KEPT) return this.#compute(days)
    const kept = this.#kept[day] as number
    if (kept !== 0) return kept
    return (this.#kept[day] = this.#compute(day))
  }
}
