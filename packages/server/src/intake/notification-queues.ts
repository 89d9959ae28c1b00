/** Takes up to `most` out of the queues, one of each in turn. Empty queues are removed. */
export function takenInTurn<T>(queues: Map<string, T[]>, most: number): T[] {
  const taken: T[] = []
  const rounds = [...queues].map(([name, queue]) => ({ name, queue, next: 0 }))
  for (let before = -1; before < taken.length && taken.length < most;) {
    before = taken.length
    for (const round of rounds) {
      const one = round.queue[round.next]
      if (one === undefined || taken.length === most) continue
      taken.push(one)
      round.next++
    }
  }
  for (const { name, queue, next } of rounds) {
    queue.splice(0, next)
    if (queue.length === 0) queues.delete(name)
  }
  return taken
}

const WINDOW_MS = 1000

/**
 * Counts per name in windows of a second, each begun by its first call. A window that begins after
 * now comes from before the clock was set back, and is over: kept, it would shut its sender out
 * until that time comes round again.
 */
export function openRates(perSecond: number, now: () => number): { admit(name: string): boolean } {
  const windows = new Map<string, { readonly startedAt: number; count: number }>()
  return {
    admit(name) {
      const at = now()
      let window = windows.get(name)
      if (window === undefined || at < window.startedAt || at >= window.startedAt + WINDOW_MS) {
        window = { startedAt: at, count: 0 }
        windows.set(name, window)
      }
      if (window.count >= perSecond) return false
      window.count++
      return true
    },
  }
}
