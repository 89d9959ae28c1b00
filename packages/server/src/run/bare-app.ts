import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox"
import { problems, type Right } from "@assay/core/contract"
import { fastify, type FastifyReply, type FastifyRequest, type onRequestHookHandler } from "fastify"
import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http"
import type { CallerOf } from "../accounts/caller-of.ts"
import { type Caller, requireRight } from "../accounts/callers.ts"
import type { Limits } from "../accounts/limits.ts"
import type { App } from "../http/app.ts"
import { clientErrorAnswers } from "../http/client-error.ts"
import { wasGivenUp } from "../http/given-up.ts"
import { endDeafReaders } from "../http/deaf-readers.ts"
import { announceDeprecation, deprecationOf } from "../http/deprecated.ts"
import { openDirect } from "../http/direct.ts"
import { openFailures } from "../http/failures.ts"
import { readJsonBodies } from "../http/json-body.ts"
import { thenLetPass } from "../http/let-pass.ts"
import { requireBody } from "../http/missing-body.ts"
import { observeOnClose, openObserve } from "../http/observe.ts"
import { requestId } from "../http/request-id.ts"
import { rightOf } from "../http/route-rights.ts"
import type { SchemaCompilers } from "../http/schema-compilers.ts"
import { sharedSchemas } from "../http/shared-schemas.ts"
import { SECURITY_HEADERS } from "../http/security-headers.ts"
import { BODY_MAX, HEADERS_MAX } from "../http/sizes.ts"
import type { HttpServices } from "./services.ts"
import { asProblem, Problem, problemDetails } from "../base/problem.ts"

/** Has no routes yet, and does with each request what is done with all of them. */
export function bareApp(services: HttpServices, compilers: SchemaCompilers): App {
  const { config, log, callers, callerOf, limits, metrics, pressure, refusalMs } = services
  const observe = openObserve(log, metrics)
  const failures = openFailures(log, refusalMs)
  const stillMs = config.streamIdleSeconds * 1000
  const direct = openDirect({ callers, limits, pressure, observe, failures, stillMs })
  const observeReply = (
    route: string,
    request: FastifyRequest,
    reply: FastifyReply,
    ms: number,
  ): void => observe(route, request.method, reply.statusCode, ms, request)
  const app: App = fastify({
    logger: false,
    bodyLimit: BODY_MAX,
    requestTimeout: config.requestSeconds * 1000,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    genReqId: (request) => requestId(request.headers["x-request-id"]),
    serverFactory: (fastify, options) => serverOf(direct.before(fastify), options),
    http: {
      maxHeaderSize: HEADERS_MAX,
      headersTimeout: Math.min(config.requestSeconds, 5) * 1000,
      // How often slow senders are looked for; Node's default of 30 s would let them stay six times
      // too long.
      connectionsCheckingInterval: 500,
    },
    // As long as a path can be: the route refuses a parameter that names nothing, after the key was
    // checked.
    routerOptions: { maxParamLength: HEADERS_MAX },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: false,
        // Optional members may be null.
        allowUnionTypes: true,
      },
    },
    schemaController: { compilersFactory: compilers, bucket: sharedSchemas },
    clientErrorHandler: clientErrorAnswers(observe),
    frameworkErrors(error, request, reply) {
      sendProblem(reply, asProblem(error), request)
      observeReply("unmatched", request, reply, 0)
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  // Hooks take callbacks, and what differs by route is bound when the route is made: on the hot
  // path a promise costs two turns of the queue, and `request.routeOptions` a new object.
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(SECURITY_HEADERS)
    reply.header("x-request-id", request.id)
    done()
  })
  endDeafReaders(app, stillMs)
  app.decorateRequest("caller")
  app.addHook("onRoute", (route) => {
    const right = rightOf(route)
    const { neverShed = false } = route.config ?? {}
    route.onRequest = [
      observing(route.url),
      ...(neverShed ? [] : [shedding]),
      ...(right === null ? [] : [entering(callerOf, limits, right)]),
      ...asArray(route.onRequest),
    ]
    announceDeprecation(route)
    requireBody(route)
    // The direct way has no place for what a deprecated operation says with every answer.
    if (deprecationOf(route.schema) === null) direct.addRoute(route, right)
  })
  app.addHook("preClose", async () => direct.close())
  const shedding: onRequestHookHandler = (_request, _reply, done) => {
    if (pressure.isHigh())
      throw new Problem("overloaded", "Nothing was evaluated.", { headers: { "retry-after": "1" } })
    done()
  }
  // Its sender was told that it is too slow, and asks again.
  app.addHook("preValidation", (request, reply, done) => {
    if (wasGivenUp(request.raw.socket)) reply.hijack()
    else done()
  })
  const observing =
    (route: string): onRequestHookHandler =>
    (request, reply, done) => {
      observeOnClose(observe, route, request.raw, reply.raw, request)
      done()
    }
  app.setErrorHandler((error, request, reply) => {
    const problem = failures.problemOf(error, request.raw, request.id)
    const pauseMs = failures.pauseMs(problem)
    if (pauseMs === 0) return sendProblem(reply, problem, request)
    setTimeout(() => void sendProblem(reply, problem, request), pauseMs)
    return reply
  })
  app.setNotFoundHandler((request, reply) => {
    sendProblem(reply, new Problem("not-found", "No operation or page has this path."), request)
    observeReply("unmatched", request, reply, 0)
  })

  readJsonBodies(app)
  return app
}

/** As Fastify makes its servers, whose options it passes. */
function serverOf(listener: RequestListener, options: Record<string, unknown>): Server {
  const { http, keepAliveTimeout, requestTimeout } = options as unknown as ServerSettings
  return Object.assign(createServer(http, listener), { keepAliveTimeout, requestTimeout })
}

interface ServerSettings {
  readonly http: ServerOptions
  readonly keepAliveTimeout: number
  readonly requestTimeout: number
}

/** Sets all headers itself: a URL the router cannot read never reaches the hook that sets them. */
function sendProblem(
  reply: FastifyReply,
  problem: Problem,
  { id, raw }: FastifyRequest,
): FastifyReply {
  const text = JSON.stringify(problemDetails(problem, id))
  reply
    .code(problems[problem.code].status)
    .headers({ ...SECURITY_HEADERS, "x-request-id": id, ...problem.headers })
    .type("application/problem+json")
  const closes = reply.getHeader("connection") === "close" || !reply.raw.shouldKeepAlive
  if (raw.complete || raw.readableEnded || raw.destroyed || !closes) return reply.send(text)
  return reply
    .headers({ connection: "close", "content-length": String(Buffer.byteLength(text)) })
    .send(thenLetPass(text, raw))
}

/**
 * The hook of routes that need a key. A request is taken from the rate before its body is read:
 * what is refused later has been counted. A known key with requests in hand is let in at once,
 * without a promise.
 */
function entering(callerOf: CallerOf, limits: Limits, right: Right): onRequestHookHandler {
  const pace = (request: FastifyRequest, caller: Caller): Promise<void> | undefined => {
    request.caller = caller
    return limits.pace(caller)
  }
  const enter = ({ caller }: FastifyRequest, reply: FastifyReply): void => {
    requireRight(caller, right)
    reply.headers(limits.fields(caller))
  }
  return (request, reply, done) => {
    const caller = callerOf(request.raw)
    const waiting =
      caller instanceof Promise
        ? caller.then((found) => pace(request, found))
        : pace(request, caller)
    if (waiting === undefined) {
      enter(request, reply)
      done()
      return
    }
    waiting.then(() => enter(request, reply)).then(() => done(), done)
  }
}

function asArray<T extends string | object>(value: T | readonly T[] | undefined): readonly T[] {
  return value === undefined ? [] : Array.isArray(value) ? (value as readonly T[]) : [value as T]
}
