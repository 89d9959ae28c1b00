export interface AnswerCache<T> {
  get(name: string, nowMs: number): T | undefined
  /** Kept for `keepMs`, or until more names than fit were requested since. */
  set(name: string, answer: T, nowMs: number, keepMs: number): void
}

interface Kept<T> {
  readonly answer: T
  readonly untilMs: number
}

/**
 * Answers by name, in memory only. The name requested longest ago makes room, so that a flood of
 * odd names does not push out those in use.
 */
export function openAnswerCache<T>(namesMax: number): AnswerCache<T> {
  // A Map keeps the order in which names were set, so setting a name again moves it to the end.
  const kept = new Map<string, Kept<T>>()
  return {
    get(name, nowMs) {
      const found = kept.get(name)
      if (found === undefined) return undefined
      kept.delete(name)
      if (found.untilMs <= nowMs) return undefined
      kept.set(name, found)
      return found.answer
    },
    set(name, answer, nowMs, keepMs) {
      kept.delete(name)
      if (kept.size >= namesMax) {
        const [oldest] = kept.keys()
        if (oldest !== undefined) kept.delete(oldest)
      }
      kept.set(name, { answer, untilMs: nowMs + keepMs })
    },
  }
}
