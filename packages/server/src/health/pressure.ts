const SAMPLE_MS = 100

export interface Pressure {
  /**
   * From here on the loop is watched. A start keeps it busy for longer than any load may, and is
   * none.
   */
  begin(): void
  /** Whether the event loop was late, at its last sample, by more than it may be. */
  isHigh(): boolean
  close(): void
}

/**
 * Samples how late the event loop runs its timers. A loop that was stalled says so at the next
 * sample and forgets it at the one after: load is shed for as long as it lasts, and not for what is
 * over.
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
