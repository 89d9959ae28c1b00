export interface RetryBudget {
  /** A call is made: it earns a share of a retry. */
  earn(): void
  /** Takes leave to retry once. */
  take(): boolean
}

export interface RetryBudgetOptions {
  /** Calls that earn one retry. */
  readonly callsPerRetry: number
  /** The most retries that can be saved up. */
  readonly savedMax: number
}

/**
 * Keeps retries a small share of calls: if everything fails, trying everything twice would make the
 * failure worse. One retry is there from the start, for a service that calls seldom.
 */
export function openRetryBudget({ callsPerRetry, savedMax }: RetryBudgetOptions): RetryBudget {
  // In calls and not in retries, because tenths do not add up to one.
  let saved = callsPerRetry
  return {
    earn() {
      saved = Math.min(saved + 1, savedMax * callsPerRetry)
    },
    take() {
      if (saved < callsPerRetry) return false
      saved -= callsPerRetry
      return true
    },
  }
}
