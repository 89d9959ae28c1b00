export interface Breaker {
  /** Whether a question would be turned away. */
  isOpen(nowMs: number): boolean
  /**
   * Asks for permission to send a request. After the pause one request is admitted as a trial, and
   * no other beside it.
   */
  admit(nowMs: number): boolean
  succeeded(): void
  failed(nowMs: number): void
  /** An admitted request was not sent after all, so it proves nothing about the provider. */
  forgone(): void
}

export interface BreakerOptions {
  /** Failures one after the other that open it. */
  readonly failuresMax: number
  readonly pauseMs: number
  readonly onChange: (open: boolean) => void
}

/** Spares a provider that fails, and spares requests the wait for it. */
export function openBreaker({ failuresMax, pauseMs, onChange }: BreakerOptions): Breaker {
  let failures = 0
  /** null while it is closed. */
  let pausedUntilMs: number | null = null
  let trying = false
  const isOpen = (nowMs: number): boolean =>
    pausedUntilMs !== null && (trying || nowMs < pausedUntilMs)
  return {
    isOpen,
    admit(nowMs) {
      if (isOpen(nowMs)) return false
      trying = pausedUntilMs !== null
      return true
    },
    succeeded() {
      failures = 0
      trying = false
      if (pausedUntilMs === null) return
      pausedUntilMs = null
      onChange(false)
    },
    failed(nowMs) {
      failures++
      trying = false
      if (failures < failuresMax) return
      if (pausedUntilMs === null) onChange(true)
      pausedUntilMs = nowMs + pauseMs
    },
    forgone() {
      trying = false
    },
  }
}
