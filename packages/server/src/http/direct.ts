// The direct way of a request: from Node's parser to the handler of its route and back, without
// Fastify between them, which costs as much as the scoring itself.
//
// A route takes it with `config: { direct: true }`. It is registered with Fastify like any other,
// with one handler, and a request of any unusual kind goes by Fastify. The direct way takes those
// that the table in `takes` describes and that pass the hooks of `run/bare-app.ts` at once. It then
// does what Fastify and the hooks would do, in their order and by the same functions:
//
// | by Fastify                                  | directly                                      |
// | ------------------------------------------- | --------------------------------------------- |
// | onRequest: headers, request id              | SECURITY_HEADERS, requestId                   |
// | onRequest: observed when the answer closes  | observeOnClose                                |
// | onRequest: shed, key, rate, scope           | the same from memory, or the request goes by  |
// |                                             | Fastify, and nothing was taken from the rate  |
// | body limit, content type parser             | length and type are in the table; readJson    |
// | validation of body, query                   | the route's own validator; there is no query  |
// | handler                                     | the same function                             |
// | error handler                               | Failures, problemDetails                      |
// | serialiser                                  | the route's own                               |
// | onSend: readers that do not read            | watchReader                                   |
//
// The validator and the serialiser are those that Fastify made for the route. Fastify shows them
// with a request only, so the first request of a route goes by Fastify.
// tests/http/both-ways.test.ts sends requests by both ways and compares every byte.
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { problems, type Right } from "@assay/core/contract"
import type { Caller, Callers } from "../accounts/callers.ts"
import type { Limits } from "../accounts/limits.ts"
import { problemDetails } from "../base/problem.ts"
import { watchReader } from "./deaf-readers.ts"
import type { Failures } from "./failures.ts"
import { wasGivenUp } from "./given-up.ts"
import { readJson } from "./json-body.ts"
import { type Observe, observeOnClose } from "./observe.ts"
import { requestId } from "./request-id.ts"
import { SECURITY_HEADERS } from "./security-headers.ts"
import { BODY_MAX } from "./sizes.ts"

/** All that the handler of a direct route may use of Fastify's request and reply. */
type DirectRequest = Pick<FastifyRequest, "body" | "caller" | "id" | "query">
type DirectReply = Pick<FastifyReply, "headers" | "send">
type DirectHandler = (request: DirectRequest, reply: DirectReply) => void

interface DirectServices {
  readonly callers: Pick<Callers, "known">
  readonly limits: Pick<Limits, "paceAtOnce" | "fields">
  readonly pressure: { isHigh(): boolean }
  readonly observe: Observe
  readonly failures: Failures
  /** How long a reader may take nothing of an answer. */
  readonly stillMs: number
}

export interface Direct {
  /** Called for every route that is registered; takes those that ask for it. */
  addRoute(route: RouteOptions, right: Right | null): void
  /** What a server calls with each request: the direct way, and `fastify` for all others. */
  before(fastify: RequestListener): RequestListener
  /** From here on every request goes by Fastify, which knows how to close. */
  close(): void
}

interface DirectRoute {
  readonly path: string
  readonly scope: string
  readonly handler: DirectHandler
  made: Made | null
}

/** What Fastify made of the schemas of a route. */
interface Made {
  readonly validate: NonNullable<ReturnType<FastifyRequest["getValidationFunction"]>>
  readonly serialize: (result: object) => string
}

const NO_QUERY = Object.freeze({})
const NO_ROUTE_OPTIONS = { config: {} }
const JSON_TYPES: ReadonlySet<string | undefined> = new Set([
  "application/json",
  "application/json; charset=utf-8",
])

export function openDirect(services: DirectServices): Direct {
  const { callers, limits, pressure } = services
  const routes = new Map<string | undefined, DirectRoute>()

  return {
    addRoute(options, right) {
      if (options.config?.direct !== true) return
      const [scope, ...others] = right?.scopes ?? []
      if (scope === undefined || others.length > 0 || options.method !== "POST")
        throw new Error(`${options.url} cannot be direct: it takes POST and needs one scope`)
      // Fastify calls handlers with itself as `this`, and ours are functions that use none.
      const handler = options.handler as unknown as DirectHandler
      const route: DirectRoute = { path: options.url, scope, handler, made: null }
      options.preHandler = (request, reply, done) => {
        route.made ??= {
          validate: request.getValidationFunction("body") as Made["validate"],
          serialize: reply.getSerializationFunction("200") as Made["serialize"],
        }
        done()
      }
      routes.set(route.path, route)
    },

    before: (fastify) => (request, response) => {
      const route = routes.get(request.url)
      if (route === undefined || route.made === null || !takes(request) || pressure.isHigh()) {
        fastify(request, response)
        return
      }
      const caller = callers.known(request.headers.authorization)
      if (caller === null || !caller.scopes.has(route.scope) || !limits.paceAtOnce(caller)) {
        fastify(request, response)
        return
      }
      const reply = new Reply(request, response, route.made, caller, services)
      observeOnClose(services.observe, route.path, request, response, reply)
      reply.headers(limits.fields(caller))
      whole(request, (body) => reply.answer(body, route.handler))
    },

    close: () => routes.clear(),
  }
}

/** Whether a request is of the usual kind, by what its head says of its body. */
function takes({ method, headers }: IncomingMessage): boolean {
  const length = Number(headers["content-length"])
  return (
    method === "POST" &&
    JSON_TYPES.has(headers["content-type"]) &&
    headers["transfer-encoding"] === undefined &&
    length > 0 &&
    length <= BODY_MAX
  )
}

/**
 * Calls `then` with the body when all of it has come, and never if the sender hangs up before or
 * was told that it is too slow.
 */
function whole(request: IncomingMessage, then: (body: Buffer) => void): void {
  const pieces: Buffer[] = []
  request.on("data", (piece: Buffer) => void pieces.push(piece))
  request.on("end", () => {
    if (wasGivenUp(request.socket)) return
    const [first] = pieces
    then(pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces))
  })
}

class Reply {
  readonly id: string
  readonly caller: Caller
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #made: Made
  readonly #services: DirectServices
  readonly #headers: Record<string, string>

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    made: Made,
    caller: Caller,
    services: DirectServices,
  ) {
    this.id = requestId(request.headers["x-request-id"])
    this.caller = caller
    this.#request = request
    this.#response = response
    this.#made = made
    this.#services = services
    this.#headers = { ...SECURITY_HEADERS, "x-request-id": this.id }
  }

  answer(bytes: Buffer, handler: DirectHandler): void {
    const { validate } = this.#made
    const { headers } = this.#request
    readJson({ headers, routeOptions: NO_ROUTE_OPTIONS }, bytes, (error, body) => {
      if (error !== null) {
        // As Fastify does when a body cannot be read.
        this.headers({ connection: "close" }).#fail(error)
        return
      }
      try {
        if (!validate(body)) throw invalid(validate.errors)
        const { caller, id } = this
        handler({ body, caller, id, query: NO_QUERY }, this as unknown as DirectReply)
      } catch (fault) {
        this.#fail(fault)
      }
    })
  }

  headers(fields: Readonly<Record<string, string>>): this {
    for (const name in fields) this.#headers[name] = fields[name] as string
    return this
  }

  send(result: object): this {
    if (result instanceof Error) {
      this.#fail(result)
      return this
    }
    let text: string
    try {
      text = this.#made.serialize(result)
    } catch (error) {
      this.#fail(error)
      return this
    }
    this.#end(200, "application/json; charset=utf-8", text)
    return this
  }

  #fail(error: unknown): void {
    const { failures } = this.#services
    const problem = failures.problemOf(error, this.#request, this.id)
    const pauseMs = failures.pauseMs(problem)
    const end = (): void => {
      this.headers(problem.headers)
      this.#end(
        problems[problem.code].status,
        "application/problem+json; charset=utf-8",
        JSON.stringify(problemDetails(problem, this.id)),
      )
    }
    if (pauseMs === 0) end()
    else setTimeout(end, pauseMs)
  }

  #end(status: number, type: string, text: string): void {
    const response = this.#response
    // The caller hung up, which has been observed.
    if (response.destroyed) return
    this.#headers["content-type"] = type
    this.#headers["content-length"] = String(Buffer.byteLength(text))
    watchReader(response, text.length, this.#services.stillMs)
    response.writeHead(status, this.#headers)
    response.end(text)
  }
}

/** As Fastify names what its validators find. */
function invalid(errors: unknown): Error {
  return Object.assign(new Error("invalid"), { validation: errors, validationContext: "body" })
}
