import { randomBytes } from "node:crypto"
import { CarrierError } from "./carrier-error.ts"

export interface AccessToken {
  readonly clientId: string
  readonly scopes: ReadonlySet<string>
  readonly expiresAtMs: number
}

/** The tokens that are good now. */
export interface AccessTokens {
  issue(token: AccessToken, nowMs: number): string
  /**
   * The client behind the header field `authorization`, which has one of the scopes. Throws a
   * CarrierError.
   */
  check(authorization: string | undefined, scopes: readonly string[], nowMs: number): string
  revoke(authorization: string | undefined): void
}

export function openAccessTokens(): AccessTokens {
  const tokens = new Map<string, AccessToken>()
  return {
    issue(token, nowMs) {
      for (const [text, { expiresAtMs }] of tokens) if (expiresAtMs <= nowMs) tokens.delete(text)
      const text = randomBytes(32).toString("base64url")
      tokens.set(text, token)
      return text
    },
    check(authorization, scopes, nowMs) {
      const token = tokens.get(bearerOf(authorization))
      if (token === undefined || token.expiresAtMs <= nowMs) throw unauthenticated()
      if (!scopes.some((scope) => token.scopes.has(scope)))
        throw new CarrierError(403, "PERMISSION_DENIED", "The token is not for this operation")
      return token.clientId
    },
    revoke: (authorization) => void tokens.delete(bearerOf(authorization)),
  }
}

/** The token after `Bearer`; empty if the field is of another kind, since no token is empty. */
function bearerOf(authorization = ""): string {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ""
}

export function unauthenticated(): CarrierError {
  return new CarrierError(401, "UNAUTHENTICATED", "There is no token, or none that is good now")
}
