import { setTimeout as delay } from "node:timers/promises"

/** Ample for one write of the records, and short for somebody who waits. */
const WAIT_MS = 1_000
const PAUSE_MS = 50

/**
 * What becomes of a request that may have been sent before. A node notes that it carried one out
 * just after it acknowledged it; who sends it again to another node at once finds it still running.
 * So it is looked at again for a moment before the sender is told to come back.
 */
export async function onceNoted<T extends { readonly state: string }>(
  take: () => Promise<T>,
  { waitMs = WAIT_MS, pauseMs = PAUSE_MS } = {},
): Promise<T> {
  for (let waited = 0; ; waited += pauseMs) {
    const outcome = await take()
    if (outcome.state !== "running" || waited >= waitMs) return outcome
    await delay(pauseMs)
  }
}
