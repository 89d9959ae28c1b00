export type ImportPhase =
  | "examining"
  | "reading"
  | "sorting"
  | "merging"
  | "measuring"
  | "compacting"

export interface PhaseTime<Phase extends string = ImportPhase> {
  readonly phase: Phase
  readonly ms: number
}

/** How long each phase of an import took, from the news of its progress. */
export class PhaseTimes<Phase extends string = ImportPhase> {
  readonly #now: () => number
  readonly #times = new Map<Phase, number>()
  #phase: Phase | null = null
  #since = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Work of this phase goes on; the phase before ends with the first news of another. */
  note(phase: Phase): void {
    if (phase === this.#phase) return
    this.#add()
    this.#phase = phase
  }

  /** In the order in which they began; the one that goes on counts up to now. */
  sofar(): PhaseTime<Phase>[] {
    this.#add()
    return [...this.#times].map(([phase, ms]) => ({ phase, ms }))
  }

  #add(): void {
    const now = this.#now()
    if (this.#phase !== null) {
      const before = this.#times.get(this.#phase) ?? 0
      this.#times.set(this.#phase, before + Math.max(0, now - this.#since))
    }
    this.#since = now
  }
}
