import type { ConnectionError } from "fastify"
import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { type ProblemCode, problems } from "@assay/core/contract"
import { Problem, problemDetails } from "../base/problem.ts"
import { giveUp, wasGivenUp } from "./given-up.ts"
import { carriesLongRequest } from "./long-requests.ts"
import type { Observe } from "./observe.ts"

const codes: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: "headers-too-large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body-too-large",
  ERR_HTTP_REQUEST_TIMEOUT: "request-timeout",
}

/**
 * How long bytes still on their way are read and dropped: closing earlier would reset the
 * connection and lose the answer.
 */
const LINGER_MS = 1000

/**
 * Answers what never became a request: broken HTTP, oversized headers, a sender too slow. Then
 * hangs up.
 */
export function clientErrorAnswers(
  observe: Observe,
): (error: ConnectionError, socket: Socket) => void {
  return ({ code }, socket) => {
    // Node repeats the error for every further piece that arrives.
    if (wasGivenUp(socket)) return
    if (code === "ECONNRESET" || !socket.writable) return void socket.destroy()
    if (code === "ERR_HTTP_REQUEST_TIMEOUT" && carriesLongRequest(socket)) return
    giveUp(socket)
    const kind = codes[code] ?? "malformed-http"
    const body = JSON.stringify(problemDetails(new Problem(kind, problems[kind].meaning), null))
    const { status } = problems[kind]
    socket.end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
        "content-type: application/problem+json",
        `content-length: ${Buffer.byteLength(body)}`,
        "cache-control: no-store",
        "connection: close",
        "",
        body,
      ].join("\r\n"),
    )
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
    observe("unread", "unknown", status, 0)
  }
}
