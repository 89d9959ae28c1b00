import { httpCode } from "../passing-faults.ts"
import { type FailureStatus, SignalFailure } from "../signal-failure.ts"

interface Meaning {
  readonly http: number
  readonly status: FailureStatus
}

/**
 * What the error codes of CAMARA mean: those of the APIs we ask, and those reserved for all APIs. A
 * code that is not here means what its HTTP status means, since carriers may add codes.
 */
export const ERROR_CODES: Readonly<Record<string, Meaning>> = {
  // All requests have the same form, so a refused one is about this number. If it counted as a
  // failure of the carrier, a few odd numbers could stop questions about all others.
  INVALID_ARGUMENT: { http: 400, status: "not_applicable" },
  // The carrier may not look back so far, and can say nothing about the time asked for.
  OUT_OF_RANGE: { http: 400, status: "no_coverage" },
  UNAUTHENTICATED: { http: 401, status: "unauthorized" },
  PERMISSION_DENIED: { http: 403, status: "consent_required" },
  INVALID_TOKEN_CONTEXT: { http: 403, status: "consent_required" },
  NOT_FOUND: { http: 404, status: "not_found" },
  IDENTIFIER_NOT_FOUND: { http: 404, status: "not_found" },
  ABORTED: { http: 409, status: "error" },
  CONFLICT: { http: 409, status: "error" },
  SERVICE_NOT_APPLICABLE: { http: 422, status: "no_coverage" },
  // The carrier wants the subscriber named in another way than by a number beside the client's own
  // token.
  MISSING_IDENTIFIER: { http: 422, status: "not_applicable" },
  UNNECESSARY_IDENTIFIER: { http: 422, status: "not_applicable" },
  UNSUPPORTED_IDENTIFIER: { http: 422, status: "not_applicable" },
  QUOTA_EXCEEDED: { http: 429, status: "rate_limited" },
  TOO_MANY_REQUESTS: { http: 429, status: "rate_limited" },
  INTERNAL: { http: 500, status: "error" },
  NOT_IMPLEMENTED: { http: 501, status: "no_coverage" },
  BAD_GATEWAY: { http: 502, status: "error" },
  UNAVAILABLE: { http: 503, status: "error" },
  TIMEOUT: { http: 504, status: "timeout" },
}

/**
 * Gateways answer these themselves, in a body of their own. The rest means nothing without an
 * carrier's word.
 */
const BY_HTTP_STATUS: Readonly<Record<number, FailureStatus>> = {
  401: "unauthorized",
  403: "consent_required",
  429: "rate_limited",
  504: "timeout",
}

/** No digit fits, so that no number can pass for a code. */
const CODE = /^[A-Z][A-Z_.]{0,63}$/

/**
 * What an answer other than 200 says. A 404 or 422 in the carrier's words is about the number;
 * without them it is about a wrong path or a broken gateway, and must not pass for an answer.
 */
export function refusal(http: number, body: unknown): SignalFailure {
  const code = codeOf(body)
  const known = code === null ? undefined : ERROR_CODES[code]
  const status =
    known?.http === http ? known.status : (BY_HTTP_STATUS[http] ?? withoutMeaning(http, code))
  return new SignalFailure(status, code ?? httpCode(http))
}

function withoutMeaning(http: number, code: string | null): FailureStatus {
  if (code === null) return "error"
  if (http === 404) return "not_found"
  return http === 422 ? "not_applicable" : "error"
}

function codeOf(body: unknown): string | null {
  if (typeof body !== "object" || body === null || !("code" in body)) return null
  return typeof body.code === "string" && CODE.test(body.code) ? body.code : null
}
