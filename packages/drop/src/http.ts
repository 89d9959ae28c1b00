import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { DropsError } from "./store/drops-error.ts"
import { type Answer, pageAnswer, RETRY, sendAnswer, wordAnswer, writtenAnswer } from "./answers.ts"
import { cameByOnion, fromElsewhere } from "./headers.ts"
import { notFoundPage, refusalPage } from "./pages/index.ts"
import type { DropFacts, Locale } from "./pages/page-input.ts"
import { Refused } from "./refused.ts"
import { type DropRoutes, dropRoutes, type RouteOptions } from "./routes.ts"
import { readTarget } from "./target.ts"
import type { Visit } from "./visit.ts"

const HEADERS_MAX = 16 * 1024

export interface HttpOptions extends RouteOptions {
  readonly onFault: (error: unknown) => void
}

export interface DropHttp {
  readonly server: Server
  /** A complete answer for a connection whose request is not read. */
  answerUnread(status: number): Promise<string>
}

/**
 * All public answers of the drop but those of sealers. It listens nowhere itself: the door brings
 * it connections.
 */
export function openHttp(options: HttpOptions): DropHttp {
  const { drop, files, onFault } = options
  const routes = dropRoutes(options)

  const refusalText = (locale: Locale, facts: DropFacts, status: number): string =>
    status === 404
      ? notFoundPage(locale, facts, files)
      : refusalPage(locale, facts, files, { status })
  const answerUnread = async (status: number): Promise<string> => {
    // It is unknown how they came, and an onion visitor must not see what is meant for the other
    // address.
    const visit = { byOnion: true }
    const [facts, headers] = await Promise.all([drop.facts(visit), drop.headers(visit)])
    const answer = pageAnswer(status, "", status === 503 ? RETRY : {})
    return writtenAnswer({ ...answer, body: refusalText("en", facts, status) }, headers)
  }
  const respond = async (
    request: IncomingMessage,
    response: ServerResponse,
    asked: { waiting: boolean },
  ): Promise<void> => {
    const byOnion = cameByOnion(request.headers.host)
    const target = readTarget(request.url ?? "")
    const locale = target?.locale ?? "en"
    const visit = (rest: string): Visit => ({
      locale,
      rest,
      query: target?.query ?? new URLSearchParams(),
      byOnion,
      request,
      readBody() {
        if (asked.waiting) response.writeContinue()
        asked.waiting = false
        return request
      },
    })
    const found = target && routes.find(target.name)
    let answer: Answer
    try {
      answer = await answerOf(request, found, visit)
    } catch (error) {
      // The visitor hung up in the middle: there is nobody to answer, and nothing is wrong here.
      if (error === request.errored) return
      if (!(error instanceof Refused)) onFault(error)
      answer = refusedAnswer(error)
    }
    if (answer.status >= 400 && answer.body === undefined) {
      const { status, headers } = answer
      answer =
        found?.route.forScripts === true
          ? wordAnswer(status, status === 503 ? "full" : "refused", headers)
          : pageAnswer(status, refusalText(locale, await drop.facts({ byOnion }), status), headers)
    }
    await sendAnswer(request, response, answer, await drop.headers({ byOnion }), {
      waitsForUs: asked.waiting,
    })
  }
  const serve =
    (waiting: boolean) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      // A visitor who hangs up during the answer is no fault.
      request.on("error", () => undefined)
      response.on("error", () => undefined)
      respond(request, response, { waiting }).catch((error: unknown) => {
        onFault(error)
        request.socket.destroy()
      })
    }
  const server = createServer({
    maxHeaderSize: HEADERS_MAX,
    // Senders reach the drop by names it does not know.
    requireHostHeader: false,
    keepAlive: false,
  })
  server.on("request", serve(false))
  server.on("checkContinue", serve(true))
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable) return void socket.destroy()
    const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400
    answerUnread(status).then(
      (answer) => void socket.end(answer),
      (fault: unknown) => {
        onFault(fault)
        socket.destroy()
      },
    )
  })
  return { server, answerUnread }
}

async function answerOf(
  request: IncomingMessage,
  found: ReturnType<DropRoutes["find"]> | null,
  visit: (rest: string) => Visit,
): Promise<Answer> {
  const { method = "" } = request
  if (found === null) return { status: 404 }
  const { route, rest } = found
  const Allow = [
    ...(route.get ? ["GET", "HEAD"] : []),
    ...(route.post ? ["POST"] : []),
    "OPTIONS",
  ].join(", ")
  if (method === "OPTIONS") return { status: 204, headers: { Allow } }
  if ((method === "GET" || method === "HEAD") && route.get) return await route.get(visit(rest))
  if (method !== "POST" || !route.post) return { status: 405, headers: { Allow } }
  if (fromElsewhere(request.headers)) return { status: 403 }
  return await route.post(visit(rest))
}

/**
 * What a failure looks like from outside. A full disk is named, since the sender can come back;
 * nothing else is.
 */
function refusedAnswer(error: unknown): Answer {
  if (error instanceof Refused) return wordAnswer(error.status, error.word)
  if (error instanceof DropsError && error.code === "full") return { status: 503 }
  return { status: 500 }
}
