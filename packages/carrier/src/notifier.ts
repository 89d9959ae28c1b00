import { setTimeout } from "node:timers/promises"

/** Sends events to sinks, in the background. */
export interface Notifier {
  send(sink: string, token: string | null, event: object): void
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

/** Waits before the second try and each after it. */
export const RETRY_WAITS_MS: readonly number[] = [250, 1000, 4000]
const TRY_MS = 5000

/** A response that trying again will not change. */
function isFinal(status: number): boolean {
  return status < 500 && status !== 408 && status !== 429
}

export function openNotifier(retryWaitsMs: readonly number[], closing: AbortSignal): Notifier {
  const underWay = new Set<Promise<void>>()

  /** Gives up after the last try: a subscriber that cannot be reached misses the event. */
  async function deliver(sink: string, token: string | null, event: object): Promise<void> {
    const body = JSON.stringify(event)
    for (const waitMs of [0, ...retryWaitsMs]) {
      if (waitMs > 0) await setTimeout(waitMs, undefined, { signal: closing })
      const status = await post(sink, token, body)
      if (status !== null && isFinal(status)) return
    }
  }

  /** The status of the answer; null where there was none. */
  async function post(sink: string, token: string | null, body: string): Promise<number | null> {
    try {
      const { status } = await fetch(sink, {
        method: "POST",
        headers: {
          "content-type": "application/cloudevents+json",
          ...(token !== null && { authorization: `Bearer ${token}` }),
        },
        body,
        redirect: "manual",
        signal: AbortSignal.any([closing, AbortSignal.timeout(TRY_MS)]),
      })
      return status
    } catch {
      return null
    }
  }

  return {
    send(sink, token, event) {
      // It rejects only when the carrier closes in the middle of a wait.
      const delivery: Promise<void> = deliver(sink, token, event)
        .catch(() => undefined)
        .finally(() => underWay.delete(delivery))
      underWay.add(delivery)
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
