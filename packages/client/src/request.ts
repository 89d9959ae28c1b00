import { AssayUnavailable } from "./errors.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"

export interface CallOptions {
  /** Cancels the call, which then rejects with the signal's reason, whatever `failover` says. */
  readonly signal?: AbortSignal
  /** Time for this call, its retries included, instead of the client's. */
  readonly timeoutMs?: number
  /** Sent as `X-Request-Id` and logged by the service: at most 128 letters, digits and `_.:-`. */
  readonly requestId?: string
}

export interface ScoreOptions extends CallOptions {
  /** Adds `explanation`: what the score was made from and how each part moved it. */
  readonly explain?: boolean
}

export interface Asked {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly requestId: string | undefined
  /** Of the body and of the answer; JSON unless given. */
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Body = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | null

/** The query of a URL, without parameters that are undefined. */
export function query(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`
}

/**
 * A function that sends a request to the service once. Throws a TypeError on a wrong request id.
 */
export function sender(
  { baseUrl, apiKey, csrf, fetch }: Settings<Failover>,
  { method, path, requestId, contentType = "application/json", headers }: Asked,
): (body: Body, signal: AbortSignal) => Promise<Response> {
  // The service would replace a longer or stranger id by its own.
  if (requestId !== undefined && !/^[\w.:-]{1,128}$/.test(requestId))
    throw new TypeError("requestId takes at most 128 letters, digits and _.:-")
  const url = baseUrl + path
  const request = {
    method,
    // Following one would hand the identity to another address; the service never sends any.
    redirect: "manual",
    cache: "no-store",
    credentials: apiKey === null ? "same-origin" : "omit",
    referrerPolicy: "no-referrer",
  } as const satisfies RequestInit
  const sentHeaders = {
    accept: `${contentType}, application/problem+json`,
    ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
    ...(requestId !== undefined && { "x-request-id": requestId }),
    ...headers,
  }
  return async (body, signal) => {
    const token = csrf?.token ?? null
    const allHeaders = token === null ? sentHeaders : { ...sentHeaders, "x-csrf-token": token }
    const content =
      body === null
        ? { headers: allHeaders }
        : { headers: { ...allHeaders, "content-type": contentType }, body }
    const duplex = body instanceof ReadableStream ? { duplex: "half" as const } : {}
    try {
      return await fetch(url, { ...request, ...content, ...duplex, signal })
    } catch (cause) {
      throw new AssayUnavailable("network", "Assay could not be reached", { cause })
    }
  }
}
