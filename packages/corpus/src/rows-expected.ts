import { FIRSTS } from "@assay/stores/cells"

/** Fewer rows do not tell how many repeated ones there are among them. */
const TOLD_ROWS_MIN = 1_000

/**
 * How many rows there will be of at most so many, of which some are repeated. Sorted rows come in
 * the order of their keys, and keys are hashes, so that the last one tells how many are still to
 * come.
 */
export class RowsExpected {
  readonly #max: number
  #expected: number
  #share = 0

  constructor(max: number) {
    this.#max = max
    this.#expected = max
  }

  /** So many rows have come, and the key of the last begins with these four bytes. */
  came(rows: number, first: number): void {
    if (rows < TOLD_ROWS_MIN) return
    const share = Math.max((first + 1) / FIRSTS, rows / this.#max)
    this.#expected = Math.round(rows / share)
  }

  /** How many there will be in all, where so many are done: their share never becomes less. */
  totalFor(done: number): number {
    if (done === 0) return this.#max
    const least = this.#share === 0 ? this.#max : Math.floor(done / this.#share)
    const total = Math.max(done, Math.min(this.#expected, least, this.#max))
    this.#share = done / total
    return total
  }
}
