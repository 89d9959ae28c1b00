import type { ConnectionError } from "fastify"
import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { type ProblemCode, problems } from "@assay/core/contract"
import { Problem, problemDetails } from "../problem.ts"
import { carriesLongRequest } from "./long-requests.ts"

const codes: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: "headers-too-large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "body-too-large",
  ERR_HTTP_REQUEST_TIMEOUT: "request-timeout",
}

/** Answers what never became a request: broken HTTP, oversized headers, a sender too slow. Then hangs up. */
export function answerClientError({ code }: ConnectionError, socket: Socket): void {
  if (code === "ECONNRESET" || !socket.writable) return void socket.destroy()
  if (code === "ERR_HTTP_REQUEST_TIMEOUT" && carriesLongRequest(socket)) return
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
  // A sender that never reads the answer must not keep the connection.
  socket.setTimeout(1000, () => socket.destroy())
}
