import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { RETRY } from "../answers.ts"
import { type Answer, paddedPage } from "./answer.ts"
import { answerMs, whenTooSlow } from "./deadlines.ts"
import type { Stopped } from "./form-body.ts"
import type { Report } from "./progress.ts"
import type { GiveWay, SealerSettings } from "./sealer-settings.ts"

export interface ConnectionHandler {
  /**
   * Answers a request; null when its sender is gone and there is nobody to answer. Rejects for a
   * fault of ours. `stopped` is aborted, with a reason, when the rest of the request is no longer
   * awaited.
   */
  answer(request: IncomingMessage, stopped: AbortSignal): Promise<Answer | null>
  /** For anything that is no request, or fails: a page that carries nothing of what was sent. */
  refuse(reason: number | Stopped, request?: IncomingMessage): Promise<Answer>
  /** The headers of every answer. */
  headers(request?: IncomingMessage): Promise<Readonly<Record<string, string>>>
}

export interface ConnectionOptions extends Pick<SealerSettings, "deadlines" | "reportMs"> {
  /** Gets every change of phase, and meanwhile how much has moved. */
  readonly report: (report: Report) => void
}

export interface TakenConnection {
  /** Resolves when the connection is over, however that comes. */
  readonly over: Promise<void>
  /** Others wait: ends a sender who is still in this phase. */
  giveWay(phase: GiveWay["giveWay"]): void
}

const HEADERS_MAX = 16 * 1024
/**
 * What a browser that still sends is given to see the answer before the connection closes under it.
 */
const LINGER_MS = 500
/** An answer goes out in pieces of this size, so that its progress can be measured. */
const PIECE = 16 * 1024

/**
 * Serves one request on a connection whose first bytes are `head`, which may still be on their way.
 */
export function takeConnection(
  socket: Socket,
  head: Buffer | Promise<Buffer>,
  handler: ConnectionHandler,
  { deadlines, reportMs, report }: ConnectionOptions,
): TakenConnection {
  // Listens from the first moment: a connection that closes while its head is read emits that once,
  // and never again.
  const over = new Promise<void>((resolve) => {
    socket.once("close", () => resolve())
    if (socket.destroyed) resolve()
  })
  socket.on("error", () => socket.destroy())

  const stopped = new AbortController()
  const stop = (reason: Stopped): void => stopped.abort(reason)
  const slow = whenTooSlow(socket, deadlines, () => stop("too-slow"))
  let phase: Report["phase"] = "receiving"
  let read = 0
  let sent = 0
  const tell = (): void =>
    report({ phase, bytes: phase === "receiving" ? read + socket.bytesRead : sent })
  const enter = (next: Report["phase"]): void => {
    phase = next
    tell()
  }
  const telling = setInterval(tell, reportMs)
  let late: NodeJS.Timeout | undefined
  const answerWith = async (body: Buffer, write: Write): Promise<void> => {
    slow[Symbol.dispose]()
    enter("answering")
    late = setTimeout(() => socket.destroy(), answerMs(deadlines, body.length))
    for (let at = 0; at < body.length; at += PIECE) {
      const piece = body.subarray(at, at + PIECE)
      await new Promise<void>((resolve) => write(piece, () => resolve()))
      sent += piece.length
    }
  }
  void over.then(() => {
    slow[Symbol.dispose]()
    clearInterval(telling)
    clearTimeout(late)
  })

  const server = createServer({
    maxHeaderSize: HEADERS_MAX,
    // Senders reach the drop by names it does not know.
    requireHostHeader: false,
    keepAlive: false,
    // The deadline above is stricter, and answers.
    requestTimeout: 0,
    headersTimeout: 0,
  })
  let taken = false
  /** Answers what never became a request. */
  const refuse = async (reason: number | Stopped): Promise<void> => {
    if (taken) return
    taken = true
    const answer = await handler.refuse(reason)
    const { status } = answer
    const body = paddedPage(answer.page, answer.padding)
    const headers = headersOf(status, await handler.headers(), body)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`,
    )
    await answerWith(body, (piece, done) => void socket.write(piece, done))
    socket.end(() => lingerOn(socket, socket))
  }
  const orClose = (served: Promise<void>): void => void served.catch(() => socket.destroy())
  server.on("request", (request, response) => {
    // A second request on the same connection is never read: every answer closes it.
    if (taken) return
    taken = true
    request.once("end", () => {
      if (phase === "receiving") enter("working")
    })
    orClose(serve(request, response, handler, stopped.signal, answerWith))
  })
  server.on("clientError", (error: NodeJS.ErrnoException) => {
    if (taken || !socket.writable) return void socket.destroy()
    orClose(refuse(error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400))
  })
  stopped.signal.addEventListener("abort", () => orClose(refuse(stopped.signal.reason as Stopped)))

  const begin = (first: Buffer): void => {
    if (socket.destroyed) return
    read = first.length
    socket.unshift(first)
    server.emit("connection", socket)
  }
  tell()
  if (head instanceof Promise) head.then(begin, () => socket.destroy())
  else begin(head)
  return {
    over,
    giveWay(asked) {
      if (asked !== phase) return
      if (phase === "receiving") stop("gave-way")
      else socket.destroy()
    },
  }
}

type Write = (piece: Buffer, done: () => void) => void

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  handler: ConnectionHandler,
  stopped: AbortSignal,
  answerWith: (body: Buffer, write: Write) => Promise<void>,
): Promise<void> {
  let answer: Answer | null
  try {
    answer = await handler.answer(request, stopped)
  } catch {
    // Any error becomes a bare status: its message may quote what was sent.
    answer = await handler.refuse(500, request)
  }
  if (answer === null) return void request.socket.destroy()
  const body = paddedPage(answer.page, answer.padding)
  // A clock that runs slightly wrong identifies the machine.
  response.sendDate = false
  response.writeHead(answer.status, headersOf(answer.status, await handler.headers(request), body))
  await answerWith(body, (piece, done) => void response.write(piece, done))
  response.end()
  if (!request.complete) lingerOn(request.socket, request)
}

function headersOf(
  status: number,
  everyAnswer: Readonly<Record<string, string>>,
  body: Buffer,
): Record<string, string> {
  return {
    ...everyAnswer,
    ...(status === 503 && RETRY),
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": String(body.length),
  }
}

/**
 * Reads and throws away for a moment: closing on unread bytes would reset the connection and lose
 * the answer.
 */
function lingerOn(socket: Socket, source: { resume(): unknown }): void {
  source.resume()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
