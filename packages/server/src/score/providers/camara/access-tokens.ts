import { httpCode } from "../passing-faults.ts"
import { type FailureStatus, malformed, SignalFailure } from "../signal-failure.ts"
import type { ClientKey } from "./client-key.ts"
import { type Answer, exchange } from "./exchange.ts"
import { membersOf } from "./members.ts"

export interface AccessTokens {
  /**
   * A token for these scopes: a kept one, or else a new one, which all who wait for it share.
   * Throws `SignalFailure`.
   */
  get(scopes: string, signal: AbortSignal): Promise<string>
  /** Forgets a token that an API did not take, unless there is a newer one already. */
  drop(scopes: string, token: string): void
}

export interface AccessTokensOptions {
  readonly url: string
  readonly clientId: string
  readonly key: ClientKey
  /** Time for a token request. Several callers share it, so no caller's signal ends it. */
  readonly requestMs: number
  /** Ends every request. */
  readonly closing: AbortSignal
  readonly now: () => number
}

interface Kept {
  readonly token: string
  /** From here on a new one is asked for, and the old one used meanwhile. */
  refreshAtMs: number
  readonly expiresAtMs: number
}

/** Assumed if a carrier leaves `expires_in` out. */
const LIFE_SECONDS = 60
/**
 * The pause after a failed renewal: while the old token is good, not every question tries again.
 */
const REFRESH_PAUSE_MS = 5000
/** RFC 6750. Anything else would be no header field. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/
/** Of RFC 6749 and of OpenID Connect: letters and underscores. */
const ERROR = /^[a-z][a-z_]{0,63}$/

/** What the errors of a token endpoint mean. */
const TOKEN_ERRORS: ReadonlyMap<string, FailureStatus> = new Map([
  ["access_denied", "consent_required"],
  ["consent_required", "consent_required"],
  ["invalid_grant", "consent_required"],
  ["invalid_client", "unauthorized"],
  ["unauthorized_client", "unauthorized"],
  ["unsupported_grant_type", "unauthorized"],
  ["invalid_scope", "unauthorized"],
  ["invalid_dpop_proof", "unauthorized"],
  ["invalid_request", "error"],
  ["server_error", "error"],
  ["temporarily_unavailable", "error"],
])

/** Tokens by client credentials with `private_key_jwt`, kept in memory only. */
export function openAccessTokens(options: AccessTokensOptions): AccessTokens {
  const { url, clientId, key, requestMs, closing, now } = options
  const kept = new Map<string, Kept>()
  const underWay = new Map<string, Promise<Kept>>()

  async function request(scopes: string): Promise<Kept> {
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      scope: scopes,
      client_id: clientId,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: await key.assertion(now()),
    })
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
      "user-agent": "assay",
    }
    const askedAtMs = now()
    const answer = await exchange(
      url,
      { headers, body: body.toString() },
      AbortSignal.any([AbortSignal.timeout(requestMs), closing]),
    )
    return readToken(answer, askedAtMs)
  }

  /** The request under way for these scopes, or a new one. */
  function renewed(scopes: string): Promise<Kept> {
    const running = underWay.get(scopes)
    if (running !== undefined) return running
    const renewal = request(scopes)
      .then((fresh) => {
        kept.set(scopes, fresh)
        return fresh
      })
      .finally(() => underWay.delete(scopes))
    underWay.set(scopes, renewal)
    // Waiting callers get the error. An early renewal may have none, so it is handled here.
    renewal.catch(() => {
      const known = kept.get(scopes)
      if (known !== undefined) known.refreshAtMs = now() + REFRESH_PAUSE_MS
    })
    return renewal
  }

  return {
    async get(scopes, signal) {
      const nowMs = now()
      const known = kept.get(scopes)
      if (known === undefined || nowMs >= known.expiresAtMs)
        return (await unlessAborted(renewed(scopes), signal)).token
      if (nowMs >= known.refreshAtMs) void renewed(scopes)
      return known.token
    },
    drop(scopes, token) {
      if (kept.get(scopes)?.token === token) kept.delete(scopes)
    },
  }
}

function readToken(answer: Answer, askedAtMs: number): Kept {
  if (answer.http !== 200) throw tokenRefusal(answer)
  const { access_token: token, token_type: type, expires_in: seconds } = membersOf(answer.body)
  if (typeof token !== "string" || !TOKEN.test(token)) throw malformed()
  if (typeof type !== "string" || type.toLowerCase() !== "bearer") throw malformed()
  if (seconds !== undefined && (typeof seconds !== "number" || !(seconds >= 0))) throw malformed()
  const lifeMs = (seconds ?? LIFE_SECONDS) * 1000
  return {
    token,
    refreshAtMs: askedAtMs + lifeMs * 0.8,
    // Counted from before the request, and a little less, so that none expires on its way to the
    // API.
    expiresAtMs: askedAtMs + lifeMs * 0.95,
  }
}

function tokenRefusal({ http, body }: Answer): SignalFailure {
  if (http === 429) return new SignalFailure("rate_limited", httpCode(http))
  if (http >= 500) return new SignalFailure(http === 504 ? "timeout" : "error", httpCode(http))
  const error = errorOf(body)
  const status = TOKEN_ERRORS.get(error ?? "") ?? (http === 401 ? "unauthorized" : "error")
  return new SignalFailure(status, error ?? httpCode(http))
}

function errorOf(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("error" in body)) return null
  return typeof body.error === "string" && ERROR.test(body.error) ? body.error : null
}

/** Waits for the shared request, and gives up alone. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(new SignalFailure("timeout", null))
  if (signal.aborted) abort()
  signal.addEventListener("abort", abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener("abort", abort)
  }
}
