import type { ServerResponse } from "node:http"
import { setTimeout } from "node:timers/promises"
import { unauthenticated } from "./access-tokens.ts"
import { errorReply, jsonReply, type Outcome, type Reply } from "./reply.ts"
import type { TrialFault } from "./script.ts"

/** More than any client has reason to read. */
const OVERSIZE_BYTES = 256 * 1024

/** Where redirects lead. Nothing is there; a client that follows is seen among the requests. */
export const ELSEWHERE = "/trial/elsewhere"

/**
 * Gives a reply, with all that goes wrong. Ends early when the carrier closes or the client has
 * gone.
 */
export async function sendReply(
  response: ServerResponse,
  { reply, fault }: Outcome,
  closing: AbortSignal,
): Promise<void> {
  if (fault?.latency_ms !== undefined) {
    const gone = new AbortController()
    response.once("close", () => gone.abort())
    const signal = AbortSignal.any([closing, gone.signal])
    const waited = await setTimeout(fault.latency_ms, true, { signal }).catch(() => false)
    if (!waited) return void response.destroy()
  }
  const { status, headers, body } = fault === null ? reply : faulty(reply, fault)
  if (fault?.kind === "closed") return void response.destroy()
  if (body === "") return void response.writeHead(status, headers).end()
  const bytes = Buffer.from(body)
  response.writeHead(status, { ...headers, "content-length": bytes.length })
  if (fault?.kind !== "truncated") return void response.end(bytes)
  response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy())
}

function faulty(reply: Reply, fault: TrialFault): Reply {
  switch (fault.kind) {
    case "error": {
      const { status, code, retry_after_seconds: seconds } = fault
      const headers = {
        ...reply.headers,
        ...(seconds !== undefined && { "retry-after": String(seconds) }),
      }
      const message = "Scripted"
      // Members of both error forms: CAMARA's, and RFC 6749's for the token endpoint.
      return jsonReply(status, { status, code, message, error: code }, headers)
    }
    case "html":
      return {
        status: fault.status,
        headers: { ...reply.headers, "content-type": "text/html" },
        body: "<!doctype html><title>Gateway</title><h1>Something is wrong</h1>",
      }
    case "malformed":
      return { ...reply, body: reply.body.slice(0, -1) }
    case "wrong_types":
      return reply.body === ""
        ? reply
        : { ...reply, body: JSON.stringify(mistyped(JSON.parse(reply.body))) }
    case "empty":
      return { ...reply, body: "{}" }
    case "expired_token": {
      const { status, headers, body } = errorReply(unauthenticated())
      return { status, headers: { ...reply.headers, ...headers }, body }
    }
    case "oversized":
      return { ...reply, body: reply.body + " ".repeat(OVERSIZE_BYTES) }
    case "redirect":
      return { status: 307, headers: { ...reply.headers, location: ELSEWHERE }, body: "" }
    case "late":
    case "truncated":
    case "closed":
      return reply
  }
}

/** The same members, each with a value of a type it never has. */
function mistyped(document: unknown): unknown {
  if (Array.isArray(document) || document === null || typeof document !== "object") return {}
  return Object.fromEntries(
    Object.entries(document).map(([name, value]) => [
      name,
      typeof value === "string" ? 7 : ["odd"],
    ]),
  )
}
