/**
 * How long a reader may come no further: longer than a sorter takes to spill, shorter than a night.
 */
export const STALL_MS = 600_000
const LOOKS = 60

export interface StallWatch {
  /** Rejects when nothing moved for a while. */
  readonly stalled: Promise<never>
  /** Takes how far the work is. */
  heard(progress: unknown): void
  stop(): void
}

/**
 * Notices work that makes no progress for any reason: a stopped process, a thread in an endless
 * loop, a promise that is never settled. It counts its looks and not the time between them, so that
 * a command that was suspended itself does not blame its child.
 */
export function watchStall(failure: () => Error, stallMs: number = STALL_MS): StallWatch {
  const { promise: stalled, reject } = Promise.withResolvers<never>()
  // A race reports the error. Swallow it here: there may be no race.
  stalled.catch(() => undefined)
  let last = ""
  let looks = 0
  const timer = setInterval(() => {
    looks++
    if (looks >= LOOKS) reject(failure())
  }, stallMs / LOOKS)
  return {
    stalled,
    heard(progress) {
      const now = JSON.stringify(progress)
      if (now === last) return
      last = now
      looks = 0
    },
    stop: () => clearInterval(timer),
  }
}
