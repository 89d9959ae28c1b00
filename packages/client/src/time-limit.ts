/** The time one call has, and what is left of it. */
export interface TimeLimit {
  /** Aborted when the time is over or the caller gave up. */
  readonly signal: AbortSignal
  remainingMs(): number
  /** Resolves after `ms`, or rejects when the limit is reached before. */
  pause(ms: number): Promise<void>
}

/**
 * Runs `work` until it is done, `timeoutMs` are over (rejects with `late()`) or the caller gives up
 * by `signal` (rejects with its reason). Holds also where `work` takes no notice of its own signal.
 */
export async function withinTime<T>(
  { timeoutMs, signal, late }: { timeoutMs: number; signal?: AbortSignal; late: () => Error },
  work: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const endsAt = performance.now() + timeoutMs
  const controller = new AbortController()
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error))
  })
  const giveUp = (): void => controller.abort(signal?.reason)
  const timer = setTimeout(() => controller.abort(late()), timeoutMs)
  signal?.addEventListener("abort", giveUp)
  const limit: TimeLimit = {
    signal: controller.signal,
    remainingMs: () => endsAt - performance.now(),
    async pause(ms) {
      let alarm: ReturnType<typeof setTimeout> | undefined
      const over = new Promise<void>((resolve) => (alarm = setTimeout(resolve, ms)))
      await Promise.race([over, ended]).finally(() => clearTimeout(alarm))
    },
  }
  try {
    return await Promise.race([ended, work(limit)])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", giveUp)
  }
}
