import type { AccessTokens } from "./access-tokens.ts"
import { CarrierError, invalidArgument, notFound } from "./carrier-error.ts"
import { changeOperations } from "./change-operations.ts"
import { handsetOperations } from "./handset-operations.ts"
import type { Lines } from "./lines.ts"
import type { LineOperation } from "./operation.ts"
import { jsonReply, type Outcome, outcomeOf, type Reply, replyOf } from "./reply.ts"
import type { TrialApi } from "./script.ts"
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
  if (request.method !== "POST") throw methodNotAllowed()
  const { lines, tokens, now } = parts
  tokens.check(request.headers.authorization, operation.scopes, now())
  const { number, answer } = operation.read(jsonOf(request))
  return performed(operation.api, number, request, parts, () =>
    jsonReply(200, answer(lines.line(number), now())),
  )
}

function subscriptionsOutcome(request: TrialRequest, parts: ApiParts): Outcome {
  const { tokens, subscriptions, now } = parts
  const { authorization } = request.headers
  switch (request.method) {
    case "POST": {
      const clientId = tokens.check(authorization, [CREATE], now())
      const { number, create } = subscriptions.read(jsonOf(request))
      return performed("subscriptions", number, request, parts, () =>
        jsonReply(201, create(clientId)),
      )
    }
    case "GET": {
      const clientId = tokens.check(authorization, [READ], now())
      return performed("subscriptions", null, request, parts, () =>
        jsonReply(200, subscriptions.list(clientId)),
      )
    }
    default:
      throw methodNotAllowed()
  }
}

function subscriptionOutcome(request: TrialRequest, parts: ApiParts): Outcome {
  const { tokens, subscriptions, now } = parts
  const { authorization } = request.headers
  const id = request.path.slice(SUBSCRIPTIONS.length + 1)
  switch (request.method) {
    case "GET": {
      const clientId = tokens.check(authorization, [READ], now())
      return performed("subscriptions", null, request, parts, () =>
        jsonReply(200, subscriptions.get(clientId, id)),
      )
    }
    case "DELETE": {
      const clientId = tokens.check(authorization, [DELETE], now())
      return performed("subscriptions", null, request, parts, () => {
        subscriptions.remove(clientId, id)
        return NOTHING
      })
    }
    default:
      throw methodNotAllowed()
  }
}

const NOTHING: Reply = { status: 204, headers: {}, body: "" }

/** Carries the request out, unless a fault has it refused. */
function performed(
  api: TrialApi,
  number: string | null,
  { headers }: TrialRequest,
  { lines, tokens }: ApiParts,
  work: () => Reply,
): Outcome {
  const fault = lines.faultFor(number, api)
  if (fault?.kind === "expired_token") tokens.revoke(headers.authorization)
  const refused = fault?.kind === "expired_token" || fault?.kind === "error"
  return { reply: refused ? NOTHING : replyOf(work), fault }
}

function methodNotAllowed(): CarrierError {
  return new CarrierError(405, "METHOD_NOT_ALLOWED", "This operation takes another method")
}
