/** How far the work of a phase is. */
export interface PhaseProgress<Phase extends string = string> {
  readonly phase: Phase
  readonly done: number
  /** null if the amount of work is not known. */
  readonly total: number | null
}

/** Before a phase went on for so long, how it goes says nothing. */
const KNOWN_MS = 1_000
/** A time that was told is kept while the phase takes at most so much longer. */
const SLACK_MS = 2_000
const SLACK_SHARE = 0.25

/**
 * How long a phase still takes, as it went so far. What was told counts down, and rises only where
 * the phase is clearly slower than it was.
 */
export class TimeLeft<Phase extends string> {
  readonly #now: () => number
  #newest: PhaseProgress<Phase> | null = null
  #since = 0
  #begunWith = 0
  #endsAt: number | null = null

  /** `now` is a clock in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
    this.#since = now()
  }

  note(progress: PhaseProgress<Phase>): void {
    if (progress.phase !== this.#newest?.phase) {
      this.#since = this.#now()
      this.#begunWith = progress.done
      this.#endsAt = null
    }
    this.#newest = progress
  }

  /** Since the phase began, in milliseconds. */
  get elapsedMs(): number {
    return Math.max(0, this.#now() - this.#since)
  }

  /** In milliseconds; null where it is not known. */
  leftMs(): number | null {
    if (this.#newest === null) return null
    const { done, total } = this.#newest
    if (total === null) return null
    if (done >= total) return 0
    const went = done - this.#begunWith
    const elapsed = this.elapsedMs
    if (went <= 0 || elapsed < KNOWN_MS) return null
    const estimate = (elapsed * (total - done)) / went
    const now = this.#now()
    const told = this.#endsAt === null ? Infinity : this.#endsAt - now
    const isSlower = estimate > told + Math.max(SLACK_MS, told * SLACK_SHARE)
    if (estimate < told || isSlower) this.#endsAt = now + estimate
    // It is not over yet.
    return Math.max((this.#endsAt as number) - now, Math.min(estimate, KNOWN_MS))
  }
}
