import { setTimeout as delay } from "node:timers/promises"

interface Clock {
  readonly now: () => number
  readonly wait: (ms: number) => Promise<unknown>
}

const REAL: Clock = { now: () => performance.now(), wait: (ms) => delay(ms) }

/**
 * Lets work end a whole number of steps after it began, so that its duration does not reveal what
 * it found.
 */
export async function inEvenTime<T>(
  stepMs: number,
  work: () => Promise<T>,
  { now, wait }: Clock = REAL,
): Promise<T> {
  const startedAt = now()
  try {
    return await work()
  } finally {
    await wait(stepMs - ((now() - startedAt) % stepMs))
  }
}
