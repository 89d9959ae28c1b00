import type { AccessTokens } from "./access-tokens.ts"
import { CarrierError, invalidArgument, notFound } from "./carrier-error.ts"
import { changeOperations } from "./change-operations.ts"
import { handsetOperations } from "./handset-operations.ts"
import type { Lines } from "./lines.ts"
import type { LineOperation } from "./operation.ts"
import { jsonReply, type Outcome, outcomeOf, type Reply, replyOf } from "./reply.ts"
import { subscriberOperations } from "./subscriber-operations.ts"
import type { Subscriptions } from "./subscriptions.ts"
import { jsonOf, type TrialRequest } from "./trial-request.ts"

/** What the APIs work on. */
export interface ApiParts {
  readonly lines: Lines
  readonly tokens: AccessTokens
  readonly subscriptions: Subscriptions
  readonly now: () => number
}

const lineOperations: ReadonlyMap<string, LineOperation> = new Map(
  [...changeOperations, ...subscriberOperations, ...handsetOperations].map((operation) => [
    operation.path,
    operation,
  ]),
)

const SUBSCRIPTIONS = "/sim-swap-subscriptions/v0.3/subscriptions"
const CREATE = "sim-swap-subscriptions:org.camaraproject.sim-swap-subscriptions.v0.swapped:create"
const READ = "sim-swap-subscriptions:read"
const DELETE = "sim-swap-subscriptions:delete"

/** Every scope that a token can be for. */
export const TRIAL_SCOPES: ReadonlySet<string> = new Set([
  ...[...lineOperations.values()].flatMap(({ scopes }) => scopes),
  ...[CREATE, READ, DELETE],
])

const CORRELATOR = /^[a-zA-Z0-9\-_:;./<>{}]{0,256}$/

/** Answers a request to an API, with the correlator it came with. */
export function apiOutcome(request: TrialRequest, parts: ApiParts): Outcome {
  const correlator = request.headers["x-correlator"]
  const { reply, fault } = outcomeOf(() => {
    if (correlator !== undefined && !CORRELATOR.test(String(correlator)))
      throw invalidArgument("x-correlator has characters it cannot have")
    const operation = lineOperations.get(request.path)
    if (operation !== undefined) return lineOutcome(operation, request, parts)
    if (request.path === SUBSCRIPTIONS) return subscriptionsOutcome(request, parts)
    if (request.path.startsWith(`${SUBSCRIPTIONS}/`)) return subscriptionOutcome(request, parts)
    throw notFound("There is no such operation")
  })
  if (correlator === undefined || !CORRELATOR.test(String(correlator))) return { reply, fault }
  const headers = { ...reply.headers, "x-correlator": String(correlator) }
  return { reply: { ...reply, headers }, fault }
}

function lineOutcome(operation: LineOperation, request: TrialRequest, parts: ApiParts): Outcome {
  const { lines, tokens, now } = parts
  const { authorization } = request.headers
  if (request.method !== "POST") throw methodNotAllowed()
  tokens.check(authorization, operation.scopes, now())
  const { number, answer } = operation.read(jsonOf(request))
  const fault = lines.faultFor(number, operation.api)
  if (fault?.kind === "expired_token") tokens.revoke(authorization)
  return { reply: replyOf(() => jsonReply(200, answer(lines.line(number), now()))), fault }
}

function subscriptionsOutcome(request: TrialRequest, parts: ApiParts): Outcome {
  const { lines, tokens, subscriptions, now } = parts
  const { authorization } = request.headers
  switch (request.method) {
    case "POST": {
      const clientId = tokens.check(authorization, [CREATE], now())
      const { number, create } = subscriptions.read(jsonOf(request))
      const fault = lines.faultFor(number, "subscriptions")
      // One that is answered with an error was not made.
      if (fault?.kind === "error") return { reply: NOTHING, fault }
      return { reply: replyOf(() => jsonReply(201, create(clientId))), fault }
    }
    case "GET": {
      const clientId = tokens.check(authorization, [READ], now())
      return whole(jsonReply(200, subscriptions.list(clientId)), lines)
    }
    default:
      throw methodNotAllowed()
  }
}

function subscriptionOutcome(request: TrialRequest, parts: ApiParts): Outcome {
  const { lines, tokens, subscriptions, now } = parts
  const { authorization } = request.headers
  const id = request.path.slice(SUBSCRIPTIONS.length + 1)
  switch (request.method) {
    case "GET": {
      const clientId = tokens.check(authorization, [READ], now())
      return whole(jsonReply(200, subscriptions.get(clientId, id)), lines)
    }
    case "DELETE": {
      const clientId = tokens.check(authorization, [DELETE], now())
      subscriptions.remove(clientId, id)
      return whole(NOTHING, lines)
    }
    default:
      throw methodNotAllowed()
  }
}

const NOTHING: Reply = { status: 204, headers: {}, body: "" }

/** Of a request that names no number. */
function whole(reply: Reply, lines: Lines): Outcome {
  return { reply, fault: lines.faultFor(null, "subscriptions") }
}

function methodNotAllowed(): CarrierError {
  return new CarrierError(405, "METHOD_NOT_ALLOWED", "This operation takes another method")
}
