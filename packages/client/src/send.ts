import { AssayUnavailable, isFailure } from "./errors.ts"
import type { Failover } from "./failover.ts"
import { checkedTimeout, type Settings } from "./options.ts"
import { retryPause } from "./retry.ts"
import { type TimeLimit, withinTime } from "./time-limit.ts"

export interface CallOptions {
  /** Cancels the call, which then rejects with the signal's reason, whatever `failover` says. */
  readonly signal?: AbortSignal
  /** Time for this call, its retries included, instead of the client's. */
  readonly timeoutMs?: number
  /** Sent as `X-Request-Id` and logged by the service: at most 128 letters, digits and `_.:-`. */
  readonly requestId?: string
}

/** A request, and how its response is read: to what the call resolves to, or a failure. */
export interface Outgoing<T> {
  readonly method: "POST" | "DELETE"
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** Whether sending it again is safe and free even after an answer that broke off. */
  readonly repeatable: boolean
  read(response: Response): Promise<T>
}

/** Sends a request, again where that may help, all within the call's time. */
export async function sent<T>(
  settings: Settings<Failover>,
  outgoing: Outgoing<T>,
  options: CallOptions,
): Promise<T> {
  const timeoutMs = checkedTimeout(options.timeoutMs ?? settings.timeoutMs)
  const late = (): Error =>
    new AssayUnavailable("timeout", `Assay did not answer within ${timeoutMs} ms`)
  const { signal } = options
  const send = sender(settings, outgoing, options)
  return await withinTime({ timeoutMs, late, ...(signal && { signal }) }, (limit) =>
    sendWithRetries(send, settings.retries, outgoing.repeatable, limit),
  )
}

type Send<T> = (signal: AbortSignal) => Promise<T>

async function sendWithRetries<T>(
  send: Send<T>,
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

/** A function that sends the request once and reads the response. */
function sender<T>(
  { baseUrl, apiKey, fetch }: Settings<Failover>,
  { method, path, body, headers, read }: Outgoing<T>,
  { requestId }: CallOptions,
): Send<T> {
  // Longer or stranger ids the service would replace by one of its own.
  if (requestId !== undefined && !/^[\w.:-]{1,128}$/.test(requestId))
    throw new TypeError("requestId takes at most 128 letters, digits and _.:-")
  const url = baseUrl + path
  const request = {
    method,
    headers: {
      accept: "application/json, application/problem+json",
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(requestId !== undefined && { "x-request-id": requestId }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    // Following one would hand the identity to another address; the service never sends any.
    redirect: "manual",
    cache: "no-store",
    credentials: "omit",
    referrerPolicy: "no-referrer",
  } as const satisfies RequestInit
  return async (signal) => {
    let response: Response
    try {
      response = await fetch(url, { ...request, signal })
    } catch (cause) {
      throw new AssayUnavailable("network", "Assay could not be reached", { cause })
    }
    return await read(response)
  }
}
