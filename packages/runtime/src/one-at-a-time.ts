/**
 * One run at a time. A call during a run starts another after it, which serves all calls made until
 * it begins.
 */
export function oneAtATime<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let waiting: Promise<T> | null = null
  return () => {
    if (waiting !== null) return waiting
    const next = running.then(() => {
      waiting = null
      return run()
    })
    waiting = next
    // The caller gets the error of this run; the next run starts clean.
    running = next.catch(() => undefined)
    return next
  }
}
