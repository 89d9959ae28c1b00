import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { type Answer, paddedPage } from "./answer.ts"
import { answerMs, type Deadlines, watchPace } from "./deadlines.ts"
import { SenderGone } from "./form-body.ts"

export interface ConnectionHandler {
  /** Answers a request; rejects with SenderGone when there is nobody to answer, and with anything else for a fault of ours. */
  answer(request: IncomingMessage, tooSlow: AbortSignal): Promise<Answer>
  /** For what is no request, or fails: a page that carries nothing of what was sent. */
  refuse(status: number, request?: IncomingMessage): Promise<Answer>
  /** The headers of every answer. */
  headers(request?: IncomingMessage): Promise<Readonly<Record<string, string>>>
}

const HEADERS_MAX = 16 * 1024
/** What a browser that still sends is given to see the answer before the connection closes under it. */
const LINGER_MS = 500

/** Serves one request on a connection whose first bytes are `head`; resolves when the connection is over. */
export async function takeConnection(
  socket: Socket,
  head: Buffer,
  handler: ConnectionHandler,
  deadlines: Deadlines,
): Promise<void> {
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  socket.on("error", () => socket.destroy())
  using pace = watchPace(socket, deadlines)

  const server = createServer({
    maxHeaderSize: HEADERS_MAX,
    // Senders reach the drop by names it does not know.
    requireHostHeader: false,
    keepAlive: false,
    // The pace above is stricter, and answers.
    requestTimeout: 0,
    headersTimeout: 0,
  })
  let taken = false
  const refuse = async (status: number): Promise<void> => {
    const { page, padding } = await handler.refuse(status)
    writeBare(socket, status, await handler.headers(), paddedPage(page, padding), deadlines)
  }
  server.on("request", (request, response) => {
    // A second request on the same connection is never read: every answer closes it.
    if (taken) return
    taken = true
    void serve(request, response, handler, pace.tooSlow, deadlines).catch(() => socket.destroy())
  })
  server.on("clientError", (error: NodeJS.ErrnoException) => {
    if (taken || !socket.writable) return void socket.destroy()
    taken = true
    refuse(error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400).catch(() => socket.destroy())
  })
  pace.tooSlow.addEventListener("abort", () => {
    if (taken) return
    taken = true
    refuse(408).catch(() => socket.destroy())
  })
  socket.unshift(head)
  server.emit("connection", socket)
  await closed
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  handler: ConnectionHandler,
  tooSlow: AbortSignal,
  deadlines: Deadlines,
): Promise<void> {
  let answer: Answer
  try {
    answer = await handler.answer(request, tooSlow)
  } catch (error) {
    if (error instanceof SenderGone) throw error
    // Whatever it was, it is told as nothing but a status: an error may quote what was sent.
    answer = await handler.refuse(500, request)
  }
  const body = paddedPage(answer.page, answer.padding)
  // A clock that runs a little wrong tells which machine this is.
  response.sendDate = false
  response.writeHead(answer.status, { ...(await handler.headers(request)), ...ofBody(body) })
  const { socket } = request
  socket.setTimeout(answerMs(deadlines, body.length), () => socket.destroy())
  response.end(body)
  if (!request.complete) lingerOn(socket, request)
}

function ofBody(body: Buffer): Record<string, string> {
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": String(body.length),
  }
}

/** An answer to what never became a request. */
function writeBare(
  socket: Socket,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  deadlines: Deadlines,
): void {
  const lines = Object.entries({ ...headers, ...ofBody(body) }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`)
  socket.setTimeout(answerMs(deadlines, body.length), () => socket.destroy())
  socket.end(body, () => lingerOn(socket, socket))
}

/** Reads and throws away for a moment: closing on unread bytes would reset the connection and lose the answer. */
function lingerOn(socket: Socket, source: { resume(): unknown }): void {
  source.resume()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
