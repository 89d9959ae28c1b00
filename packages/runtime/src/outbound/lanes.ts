export interface Lanes {
  /**
   * Runs the work at once, or when a running one ends. null: too many wait already, and the work is
   * not done.
   */
  run<T>(work: () => Promise<T>): Promise<T> | null
}

/** At most `togetherMax` pieces of work at once, and at most `waitingMax` that wait, in order. */
export function openLanes(togetherMax: number, waitingMax: number): Lanes {
  let running = 0
  const waiting: (() => void)[] = []
  const next = (): void => {
    running--
    waiting.shift()?.()
  }
  return {
    run<T>(work: () => Promise<T>) {
      const start = (): Promise<T> => {
        running++
        return work().finally(next)
      }
      if (running < togetherMax) return start()
      if (waiting.length >= waitingMax) return null
      return new Promise<T>((resolve) => void waiting.push(() => resolve(start())))
    },
  }
}
