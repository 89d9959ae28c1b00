/** Does pieces of work one after the other, in the order they came. */
export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>
}

export function openTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return {
    take(work) {
      const mine = last.then(work)
      // The caller gets this error; the next task starts clean.
      last = mine.catch(() => undefined)
      return mine
    },
    async idle() {
      await last
    },
  }
}
