import type { IncomingMessage } from "node:http"
import type { Visit } from "./visit.ts"
import { Refused } from "./refused.ts"

/** A solved challenge has about 700 bytes. */
const JSON_MAX = 4096

/** The declared length of a request's body; null if it declares none. */
export function lengthOf({ headers }: IncomingMessage): number | null {
  return headers["transfer-encoding"] === undefined && headers["content-length"] !== undefined
    ? Number(headers["content-length"])
    : null
}

/** A body that must have exactly `bytes` bytes. */
export async function exactBody(visit: Visit, bytes: number): Promise<Uint8Array> {
  if (lengthOf(visit.request) !== bytes) throw new Refused(400, "size")
  return await wholeBody(visit.readBody())
}

/** A small JSON document; null if the body is none. */
export async function jsonBody(visit: Visit): Promise<unknown> {
  const length = lengthOf(visit.request)
  if (length === null || length > JSON_MAX) throw new Refused(413, "size")
  const body = await wholeBody(visit.readBody())
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"))
  } catch {
    return null
  }
}

async function wholeBody(request: IncomingMessage): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece)
  return new Uint8Array(Buffer.concat(pieces))
}
