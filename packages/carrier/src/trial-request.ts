import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import { CarrierError, invalidArgument } from "./carrier-error.ts"

/** A request as the carrier received it. */
export interface TrialRequest {
  readonly method: string
  /** Without a query, which no operation has. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const BODY_BYTES_MAX = 64 * 1024

/** Throws where the request breaks off or is longer than any that makes sense. */
export async function readTrialRequest(message: IncomingMessage): Promise<TrialRequest> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of message as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > BODY_BYTES_MAX) throw new RangeError("A request is too long")
    parts.push(part)
  }
  const { method = "", headers } = message
  return { method, path: pathOf(message), headers, body: Buffer.concat(parts).toString("utf8") }
}

export function pathOf({ url = "" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? ""
}

/** Throws a CarrierError where the body is not JSON or has another content type. */
export function jsonOf({ headers, body }: TrialRequest): unknown {
  if (!/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? ""))
    throw new CarrierError(415, "UNSUPPORTED_MEDIA_TYPE", "This operation takes application/json")
  try {
    return JSON.parse(body)
  } catch {
    throw invalidArgument("The body is not JSON")
  }
}
