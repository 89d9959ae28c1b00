/** Why a sign-in at the provider failed. */
export interface Fault {
  /** `refused`: this sign-in is not good; `unavailable`: no sign-in would be. */
  readonly kind: "refused" | "unavailable"
  /** For the log: a name of the library's or of the protocol's, and nothing that was sent. */
  readonly name: string
}

/** What the provider sent does not hold, or is not about this sign-in. */
const REFUSED: ReadonlySet<string> = new Set([
  "OAUTH_AUTHORIZATION_RESPONSE_ERROR",
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
])

export function faultOf(error: unknown): Fault {
  const { code, error: told } = error as { code?: unknown; error?: unknown }
  const name = nameOf(code) ?? "unreachable"
  // The code of somebody's sign-in was used before, has ended, or is made up.
  if (name === "OAUTH_RESPONSE_BODY_ERROR" && told === "invalid_grant")
    return { kind: "refused", name: "invalid_grant" }
  const kind = REFUSED.has(name) ? "refused" : "unavailable"
  const protocolName = nameOf(told)
  return { kind, name: protocolName === null ? name : `${name} ${protocolName}` }
}

function nameOf(value: unknown): string | null {
  return typeof value === "string" && /^\w{1,60}$/.test(value) ? value : null
}
