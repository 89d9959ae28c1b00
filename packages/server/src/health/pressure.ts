const SAMPLE_MS = 100

export interface Pressure {
  /**
   * The loop is watched from here on. A start blocks it for longer than any load may, and is not
   * load.
   */
  begin(): void
  /** Whether the event loop was late, at its last sample, by more than it may be. */
  isHigh(): boolean
  close(): void
}

/**
 * Samples how late the event loop runs its timers. A stall shows at the next sample and is
 * forgotten at the one after, so load is shed only while it lasts.
 */
export function openPressure(
  delayMsMax: number,
  now: () => number = () => performance.now(),
): Pressure {
  let delayMs = 0
  let timer: NodeJS.Timeout | undefined
  return {
    begin() {
      let expectedAt = now() + SAMPLE_MS
      timer = setInterval(() => {
        delayMs = now() - expectedAt
        expectedAt = now() + SAMPLE_MS
      }, SAMPLE_MS)
      timer.unref()
    },
    isHigh: () => delayMs > delayMsMax,
    close: () => clearInterval(timer),
  }
}
