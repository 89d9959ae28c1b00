import type { onRequestHookHandler } from "fastify"
import type { Caller, Callers } from "../accounts/callers.ts"
import type { Limits } from "../accounts/limits.ts"
import { Problem } from "../base/problem.ts"
import { grantable, type Tokens, type TokenScope } from "./tokens.ts"

interface ReceivingServices {
  readonly tokens: () => Tokens
  readonly callers: Pick<Callers, "ofHash">
  readonly limits: Pick<Limits, "pace">
}

const BEARER = /^Bearer (\S+)$/i

/**
 * The hook of paths that receivers call: lets in whoever has a token with one of the scopes. The
 * key behind it is looked at anew, so that its end, and a scope that was taken from it, act at
 * once.
 */
export function receiving(
  { tokens, callers, limits }: ReceivingServices,
  ...scopes: readonly TokenScope[]
): onRequestHookHandler {
  const enter = async (authorization: string): Promise<Caller> => {
    const token = BEARER.exec(authorization)?.[1]
    if (token === undefined) throw unauthenticated("No token was sent.", false)
    const granted = tokens().read(token)
    if (granted === null) throw unauthenticated("The token is none of ours, or is over.")
    const caller = await callers.ofHash(granted.keyHash)
    await limits.pace(caller)
    const has = grantable(caller.scopes).filter((scope) => granted.scopes.includes(scope))
    if (caller.tenantId !== null && scopes.some((scope) => has.includes(scope))) return caller
    const wanted = scopes.join(" ")
    throw new Problem("insufficient-scope", `The token needs the scope ${scopes.join(" or ")}.`, {
      headers: { "www-authenticate": `${REALM}, error="insufficient_scope", scope="${wanted}"` },
    })
  }
  return (request, _reply, done) => {
    enter(request.headers.authorization ?? "")
      .then((caller) => void (request.caller = caller))
      .then(() => done(), done)
  }
}

const REALM = `Bearer realm="assay-shared-signals"`

function unauthenticated(detail: string, sent = true): Problem {
  return new Problem("unauthenticated", detail, {
    headers: { "www-authenticate": sent ? `${REALM}, error="invalid_token"` : REALM },
  })
}

/** Of a caller that the hook above let in. */
export function tenantIn({ tenantId }: Caller): number {
  if (tenantId === null) throw new Error("A token of no tenant was let in")
  return tenantId
}
