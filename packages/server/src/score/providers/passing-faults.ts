import type { SignalResult } from "./signals.ts"

/**
 * The code of every adapter for a connection that could not be made, or broke before the answer.
 */
export const CONNECTION_FAILED = "connection_failed"

/** The code of an answer that has none of its own, by HTTP status. */
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
 * Whether a second try may succeed: the call failed on the way, before anybody judged the question.
 */
export function mayPass({ status, providerCode }: SignalResult): boolean {
  return (status === "error" || status === "timeout") && PASSING.has(providerCode)
}
