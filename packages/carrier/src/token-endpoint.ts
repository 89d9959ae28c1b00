import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from "jose"
import type { AccessTokens } from "./access-tokens.ts"
import { CarrierError } from "./carrier-error.ts"
import { jsonReply, type Outcome } from "./reply.ts"
import type { TrialFault } from "./script.ts"
import type { TrialRequest } from "./trial-request.ts"

/** A client that was registered: its name, its public keys and what it may do. */
export interface TrialClient {
  readonly clientId: string
  readonly jwks: JSONWebKeySet
  /** All that the carrier has, unless given. */
  readonly scopes?: readonly string[]
}

export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: "Bearer"
  readonly expires_in: number
  readonly scope: string
}

export interface TokenEndpoint {
  /** Answers a form of RFC 6749 with an assertion of RFC 7523. Throws a CarrierError. */
  answer(form: URLSearchParams): Promise<TokenAnswer>
}

interface TokenEndpointOptions {
  readonly clients: readonly TrialClient[]
  /** What the endpoint may be called in an assertion. */
  readonly audiences: readonly string[]
  /** Every scope the carrier has. */
  readonly scopes: ReadonlySet<string>
  readonly tokens: AccessTokens
  readonly lifetimeSeconds: () => number
  readonly now: () => number
}

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
const FORM = "application/x-www-form-urlencoded"
const ALGORITHMS = ["ES256", "PS256", "RS256"]
/** CAMARA's security profile lets an assertion live this long. */
const ASSERTION_SECONDS_MAX = 300
const CLOCK_SECONDS = 5
/** What the profile puts before a purpose, at most one of which a request names. */
const PURPOSE = "dpv:"

export function openTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { scopes: offered, tokens, lifetimeSeconds, now } = options
  const clients = new Map(
    options.clients.map((client) => [
      client.clientId,
      { ...client, keys: createLocalJWKSet(client.jwks) },
    ]),
  )
  /** Assertions that were used, until they would have run out. */
  const used = new Map<string, number>()

  async function clientOf(form: URLSearchParams): Promise<TrialClient> {
    if (form.get("client_assertion_type") !== ASSERTION_TYPE)
      throw new CarrierError(401, "invalid_client", "A client says who it is by private_key_jwt")
    const assertion = form.get("client_assertion") ?? ""
    const client = clients.get(issuerOf(assertion))
    const named = form.get("client_id")
    if (client === undefined || (named !== null && named !== client.clientId)) throw refused()
    const nowMs = now()
    const { exp, iat, jti } = await verified(assertion, client, nowMs)
    const madeAt = Math.min(iat ?? Infinity, nowMs / 1000)
    const latest = madeAt + ASSERTION_SECONDS_MAX + CLOCK_SECONDS
    if (exp === undefined || exp > latest || jti === undefined) throw refused()
    for (const [id, untilMs] of used) if (untilMs <= nowMs) used.delete(id)
    // Ids are the client's own, and two clients may come to the same.
    const id = `${client.clientId} ${jti}`
    if (used.has(id)) throw refused()
    used.set(id, (exp + CLOCK_SECONDS) * 1000)
    return client
  }

  async function verified(
    assertion: string,
    { clientId, keys }: { clientId: string; keys: ReturnType<typeof createLocalJWKSet> },
    nowMs: number,
  ): Promise<{ exp?: number; iat?: number; jti?: string }> {
    try {
      const { payload } = await jwtVerify(assertion, keys, {
        algorithms: ALGORITHMS,
        issuer: clientId,
        subject: clientId,
        audience: [...options.audiences],
        requiredClaims: ["exp", "jti"],
        clockTolerance: CLOCK_SECONDS,
        currentDate: new Date(nowMs),
      })
      return payload
    } catch {
      // Which of its claims was wrong is a client's own business to find out, as with a real
      // carrier.
      throw refused()
    }
  }

  return {
    async answer(form) {
      if (form.get("grant_type") !== "client_credentials")
        throw new CarrierError(400, "unsupported_grant_type", "Only client_credentials is taken")
      const client = await clientOf(form)
      const asked = (form.get("scope") ?? "").split(" ").filter((scope) => scope !== "")
      const purposes = asked.filter((scope) => scope.startsWith(PURPOSE))
      const scopes = asked.filter((scope) => !scope.startsWith(PURPOSE))
      const allowed = client.scopes === undefined ? offered : new Set(client.scopes)
      const known = scopes.every((scope) => offered.has(scope) && allowed.has(scope))
      if (scopes.length === 0 || !known || purposes.length > 1)
        throw new CarrierError(400, "invalid_scope", "The client may not have these scopes")
      const seconds = lifetimeSeconds()
      const nowMs = now()
      return {
        access_token: tokens.issue(
          {
            clientId: client.clientId,
            scopes: new Set(scopes),
            expiresAtMs: nowMs + seconds * 1000,
          },
          nowMs,
        ),
        token_type: "Bearer",
        expires_in: seconds,
        scope: asked.join(" "),
      }
    },
  }
}

/**
 * Answers a request to the endpoint. A scripted fault applies only to requests that would get a
 * token.
 */
export async function tokenOutcome(
  endpoint: TokenEndpoint,
  { method, headers, body }: TrialRequest,
  takeFault: () => TrialFault | null,
): Promise<Outcome> {
  try {
    if (method !== "POST" || headers["content-type"]?.startsWith(FORM) !== true)
      throw new CarrierError(400, "invalid_request", "The endpoint takes a form by POST")
    const answer = await endpoint.answer(new URLSearchParams(body))
    const reply = jsonReply(200, answer, { "cache-control": "no-store" })
    return { reply, fault: takeFault() }
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error
    // In the form of RFC 6749, section 5.2.
    const { status, code, message } = error
    return { reply: jsonReply(status, { error: code, error_description: message }), fault: null }
  }
}

function issuerOf(assertion: string): string {
  try {
    return decodeJwt(assertion).iss ?? ""
  } catch {
    throw refused()
  }
}

function refused(): CarrierError {
  return new CarrierError(401, "invalid_client", "The client's assertion is not taken")
}
