import { oneAtATime } from "@assay/runtime/one-at-a-time"

/** Wakes those who wait for the next event. */
export interface EventNews {
  /**
   * Resolves when there is an event after this number, when the time is over, when `gone` is
   * called, or when nothing more can be waited for. Never rejects: whoever waited looks again.
   */
  after(seq: number, waitMs: number): { readonly woken: Promise<null>; gone(): void }
  /** Looks at once: events may have been added. */
  look(): void
  /** Wakes all, and lets nobody wait any more. */
  close(): void
}

interface NewsOptions {
  /** The number of the newest event. */
  readonly newest: () => Promise<number>
  readonly lookMs?: number
}

/**
 * The primary says when there may be events, except for those of another service on the same
 * database: for these it is looked while anybody waits, with one small read, however many wait.
 */
const LOOK_MS = 1_000

export function openEventNews({ newest, lookMs = LOOK_MS }: NewsOptions): EventNews {
  const waiting = new Set<{ readonly seq: number; wake(): void }>()
  let timer: NodeJS.Timeout | null = null
  let closed = false

  const look = oneAtATime(async () => {
    if (waiting.size === 0) return
    // Whoever waits looks again, and hears of what is wrong with the records.
    const seq = await newest().catch(() => Infinity)
    for (const one of waiting) if (one.seq < seq) one.wake()
  })
  const begin = (): void => {
    if (timer !== null || waiting.size === 0) return
    timer = setTimeout(() => {
      timer = null
      void look().then(begin)
    }, lookMs)
  }

  return {
    after(seq, waitMs) {
      const { promise: woken, resolve } = Promise.withResolvers<null>()
      if (closed || waitMs <= 0) {
        resolve(null)
        return { woken, gone: () => undefined }
      }
      const one = {
        seq,
        wake(): void {
          clearTimeout(over)
          waiting.delete(one)
          resolve(null)
        },
      }
      const over = setTimeout(one.wake, waitMs)
      waiting.add(one)
      begin()
      return { woken, gone: one.wake }
    },
    look: () => void look(),
    close() {
      closed = true
      for (const one of waiting) one.wake()
      if (timer !== null) clearTimeout(timer)
    },
  }
}
