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
      // A failure is told to whoever waits for it, and is none of the next one's.
      last = mine.catch(() => undefined)
      return mine
    },
    async idle() {
      await last
    },
  }
}
