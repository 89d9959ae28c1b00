import { AssayUnavailable, isFailure } from "./errors.ts"
import { checkedTimeout } from "./options.ts"
import { retryPause } from "./retry.ts"
import { type TimeLimit, withinTime } from "./time-limit.ts"

export interface AttemptOptions {
  readonly timeoutMs: number
  readonly retries: number
  readonly signal: AbortSignal | undefined
  /** Whether sending it again is safe and free even after an answer that broke off. */
  readonly repeatable?: boolean
}

/** Sends until there is an answer, the failure is one that will not pass, or the time is over. */
export async function answeredInTime<T>(
  { timeoutMs, retries, signal, repeatable = false }: AttemptOptions,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = (): Error =>
    new AssayUnavailable("timeout", `Assay did not answer within ${timeoutMs} ms`)
  return await withinTime(
    { timeoutMs: checkedTimeout(timeoutMs), late, ...(signal && { signal }) },
    (limit) => sendWithRetries(send, retries, repeatable, limit),
  )
}

async function sendWithRetries<T>(
  send: (signal: AbortSignal) => Promise<T>,
  retries: number,
  repeatable: boolean,
  limit: TimeLimit,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send(limit.signal)
    } catch (error) {
      const pauseMs = isFailure(error) ? retryPause(error, attempt, Math.random, repeatable) : null
      // What cannot be over in time is reported now, not after waiting for it in vain.
      if (pauseMs === null || attempt === retries || pauseMs >= limit.remainingMs()) throw error
      await limit.pause(pauseMs)
    }
  }
}
