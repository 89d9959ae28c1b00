import { decayed } from "./scale.ts"

/** Eleven years; evidence is dated by day, and older evidence is rare. */
const DAYS_KEPT = 4_096

/**
 * What is left of evidence after some days when half is gone every `halfLifeDays`. Powers are the
 * dearest part of weighing an item, so those of whole days are kept once they were computed.
 */
export class Decay {
  readonly #halfLifeDays: number
  /** By day; 0 for one that nobody asked for yet. */
  readonly #shares = new Float64Array(DAYS_KEPT)

  constructor(halfLifeDays: number) {
    this.#halfLifeDays = halfLifeDays
  }

  share(days: number): number {
    if (days >>> 0 !== days || days >= DAYS_KEPT) return decayed(days, this.#halfLifeDays)
    const known = this.#shares[days]
    if (known !== undefined && known !== 0) return known
    return (this.#shares[days] = decayed(days, this.#halfLifeDays))
  }
}
