import { AssayUnavailable, type Failure, isFailure } from "./errors.ts"
import type { Failover } from "./failover.ts"
import { checkedTimeout, type Settings } from "./options.ts"
import { type Asked, type Body, type CallOptions, sender } from "./request.ts"

/** One question to the service. */
export interface Question extends Omit<Asked, "requestId"> {
  readonly body?: Body
  /** Where the caller names no time; the client's own unless given. */
  readonly timeoutMs?: number
  readonly repeatable: boolean
}

/** Asks until there is an answer, and reads it. */
export async function ask<T>(
  settings: Settings<Failover>,
  { body = null, repeatable, timeoutMs: usualMs = settings.timeoutMs, ...asked }: Question,
  { requestId, signal, timeoutMs = usualMs }: CallOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const send = sender(settings, { ...asked, requestId })
  return await answeredInTime(
    { timeoutMs, retries: settings.retries, signal, repeatable },
    async (limit) => await read(await send(body, limit)),
  )
}

interface AttemptOptions {
  readonly timeoutMs: number
  readonly retries: number
  readonly signal: AbortSignal | undefined
  /** Whether sending it again is safe and free even after an answer that broke off. */
  readonly repeatable?: boolean
}

/** Sends until there is an answer, a failure that will not pass, or the time is over. */
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
      // A failure that cannot pass in time is reported now, without waiting in vain.
      if (pauseMs === null || attempt === retries || pauseMs >= limit.remainingMs()) throw error
      await limit.pause(pauseMs)
    }
  }
}

/** The time limit of one call, and the rest of it. */
interface TimeLimit {
  /** Aborted when the time is over or the caller gave up. */
  readonly signal: AbortSignal
  remainingMs(): number
  /** Resolves after `ms`, or rejects when the limit is reached before. */
  pause(ms: number): Promise<void>
}

/**
 * Runs `work` until it is done, `timeoutMs` are over (rejects with `late()`) or the caller gives up
 * by `signal` (rejects with its reason). This holds even if `work` ignores its own signal.
 */
async function withinTime<T>(
  { timeoutMs, signal, late }: { timeoutMs: number; signal?: AbortSignal; late: () => Error },
  work: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const endsAt = performance.now() + timeoutMs
  const controller = new AbortController()
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error))
  })
  const giveUp = (): void => controller.abort(signal?.reason)
  const timer = setTimeout(() => controller.abort(late()), timeoutMs)
  signal?.addEventListener("abort", giveUp)
  const limit: TimeLimit = {
    signal: controller.signal,
    remainingMs: () => endsAt - performance.now(),
    async pause(ms) {
      let alarm: ReturnType<typeof setTimeout> | undefined
      const over = new Promise<void>((resolve) => (alarm = setTimeout(resolve, ms)))
      await Promise.race([over, ended]).finally(() => clearTimeout(alarm))
    },
  }
  try {
    return await Promise.race([ended, work(limit)])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", giveUp)
  }
}

const PAUSE_MS = 50

/**
 * How long to wait before asking again after `failure`, in milliseconds; null: not at all. Scoring
 * is a read and feedback has an idempotency key, so asking twice is safe; it is also useless unless
 * the failure may pass by itself. A `repeatable` request costs nothing when it arrives twice.
 */
export function retryPause(
  failure: Failure,
  attempt: number,
  random: () => number,
  repeatable = false,
): number | null {
  // Half of the pause is random, so that callers cut off together do not come back together.
  const pauseMs = PAUSE_MS * 2 ** attempt * (0.5 + random() / 2)
  const { status, retryAfterSeconds } = failure
  if (status === 503) return (retryAfterSeconds ?? 0) * 1000 + pauseMs
  // A limit without a stated end is not going to end within a call.
  if (status === 429 || (status === 409 && repeatable))
    return retryAfterSeconds === null ? null : retryAfterSeconds * 1000 + pauseMs
  // A score that broke off has been counted already, so only what got no response is sent again.
  const unsent = failure instanceof AssayUnavailable && failure.reason === "network"
  return unsent && (status === null || repeatable) ? pauseMs : null
}

/** The seconds of a Retry-After field, given as a number or a date (RFC 9110, section 10.2.3). */
export function retryAfterSeconds(field: string | null, nowMs: number): number | null {
  if (field === null) return null
  if (/^\d+$/.test(field)) return Number(field)
  const thenMs = Date.parse(field)
  return Number.isNaN(thenMs) ? null : Math.max(0, Math.ceil((thenMs - nowMs) / 1000))
}
