import { AssayUnavailable } from "./errors.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"

export interface Asked {
  readonly path: string
  readonly explain: boolean
  readonly requestId: string | undefined
  readonly contentType: string
}

/** A function that posts a body to the service once. Throws a TypeError on a wrong request id. */
export function poster(
  { baseUrl, apiKey, fetch }: Settings<Failover>,
  { path, explain, requestId, contentType }: Asked,
): (body: string | ReadableStream<Uint8Array>, signal: AbortSignal) => Promise<Response> {
  // Longer or stranger ids the service would replace by one of its own.
  if (requestId !== undefined && !/^[\w.:-]{1,128}$/.test(requestId))
    throw new TypeError("requestId takes at most 128 letters, digits and _.:-")
  const url = baseUrl + path + (explain ? "?explain=true" : "")
  const request = {
    method: "POST",
    headers: {
      accept: `${contentType}, application/problem+json`,
      authorization: `Bearer ${apiKey}`,
      "content-type": contentType,
      ...(requestId !== undefined && { "x-request-id": requestId }),
    },
    // Following one would hand the identity to another address; the service never sends any.
    redirect: "manual",
    cache: "no-store",
    credentials: "omit",
    referrerPolicy: "no-referrer",
  } as const satisfies RequestInit
  return async (body, signal) => {
    try {
      const duplex = typeof body === "string" ? {} : { duplex: "half" as const }
      return await fetch(url, { ...request, ...duplex, body, signal })
    } catch (cause) {
      throw new AssayUnavailable("network", "Assay could not be reached", { cause })
    }
  }
}
