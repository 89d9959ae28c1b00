import type { SignalResult } from "./signals.ts"

/**
 * What every adapter calls a connection that could not be made, or broke before there was an
 * answer.
 */
export const CONNECTION_FAILED = "connection_failed"

/** What an adapter calls an answer by its HTTP status where the answer has no code of its own. */
export function httpCode(status: number): string {
  return `http_${status}`
}

/** Codes of 502, 503 and 504, with and without a body that names one. */
const PASSING: ReadonlySet<string | undefined> = new Set([
  CONNECTION_FAILED,
  httpCode(502),
  httpCode(503),
  httpCode(504),
  "BAD_GATEWAY",
  "UNAVAILABLE",
  "TIMEOUT",
])

/**
 * Whether a call failed in a way that a second try may not: on the way, before anybody judged the
 * question.
 */
export function mayPass({ status, providerCode }: SignalResult): boolean {
  return (status === "error" || status === "timeout") && PASSING.has(providerCode)
}
