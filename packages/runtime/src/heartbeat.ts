/** How many questions in a row go unanswered before a process is given up. */
const MISSED_MAX = 4

export interface HeartbeatOptions {
  /** Asks the process whether it is there. */
  readonly ping: () => Promise<unknown>
  /** How long it may be silent. */
  readonly silentMs: number
  /** Called once, after this much silence. */
  readonly onSilent: () => void
}

/**
 * Notices a process that runs and does nothing: stopped, or caught in a loop. It counts questions,
 * not time: a machine that was suspended wakes up with its processes well. Returns what ends the
 * watch.
 */
export function watchHeartbeat({ ping, silentMs, onSilent }: HeartbeatOptions): () => void {
  let missed = 0
  const timer = setInterval(() => {
    if (missed === MISSED_MAX) {
      clearInterval(timer)
      onSilent()
      return
    }
    missed++
    ping().then(
      () => void (missed = 0),
      () => undefined,
    )
  }, silentMs / MISSED_MAX)
  timer.unref()
  return () => clearInterval(timer)
}
