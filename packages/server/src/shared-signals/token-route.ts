import type { FastifyReply } from "fastify"
import { setTimeout as delay } from "node:timers/promises"
import { hashApiKey } from "../accounts/api-key.ts"
import type { Callers } from "../accounts/callers.ts"
import type { Limits } from "../accounts/limits.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import { grantable, TOKEN_SCOPES, TOKEN_SECONDS, type Tokens } from "./tokens.ts"

interface TokenServices {
  readonly tokens: () => Tokens
  readonly callers: Pick<Callers, "authenticate">
  readonly limits: Pick<Limits, "pace">
  /** How long those who are refused wait for their answer. */
  readonly refusalMs: number
}

const FORM = "application/x-www-form-urlencoded"
const FORM_MAX = 8_192

/** An error as RFC 6749, section 5.2, has it. */
class TokenError extends Error {
  override readonly name = "TokenError"
  readonly error: string
  readonly status: 400 | 401
  constructor(error: string, description: string, status: 400 | 401 = 400) {
    super(description)
    this.error = error
    this.status = status
  }
}

/**
 * Client credentials (RFC 6749, section 4.4). The client is an API key: its id, and the key itself
 * as the secret. Answers are those of that standard, and not problems.
 */
export async function tokenRoute(app: App, services: TokenServices): Promise<void> {
  const { tokens, callers, limits, refusalMs } = services

  async function grant(
    authorization: string | undefined,
    form: URLSearchParams | null,
  ): Promise<{ token: string; scope: string }> {
    if (form === null) throw new TokenError("invalid_request", `The body must be ${FORM}.`)
    for (const name of new Set(form.keys()))
      if (form.getAll(name).length > 1)
        throw new TokenError("invalid_request", "A parameter is there more than once.")
    const { id, secret } = clientOf(authorization, form)
    const caller = await callerOf(secret)
    if (caller === null || caller.keyId !== id)
      throw new TokenError("invalid_client", "The id and the secret are of no API key.", 401)
    await limits.pace(caller)
    const type = form.get("grant_type")
    if (type === null) throw new TokenError("invalid_request", "grant_type is missing.")
    if (type !== "client_credentials")
      throw new TokenError("unsupported_grant_type", "Only client_credentials is supported.")
    const own = caller.tenantId === null ? [] : grantable(caller.scopes)
    if (own.length === 0)
      throw new TokenError(
        "unauthorized_client",
        "The key has neither webhooks:manage nor events:read.",
      )
    const asked =
      form
        .get("scope")
        ?.split(" ")
        .filter((each) => each !== "") ?? own
    const scopes = TOKEN_SCOPES.filter((scope) => asked.includes(scope) && own.includes(scope))
    if (scopes.length < new Set(asked).size)
      throw new TokenError("invalid_scope", `The key may have: ${own.join(" ")}.`)
    return {
      token: tokens().issue({ keyHash: hashApiKey(secret), scopes }),
      scope: scopes.join(" "),
    }
  }

  async function callerOf(secret: string) {
    try {
      return await callers.authenticate(`Bearer ${secret}`)
    } catch (error) {
      if (error instanceof Problem && error.code === "unauthenticated") return null
      throw error
    }
  }

  const refuse = async (
    reply: FastifyReply,
    { error, message, status }: TokenError,
  ): Promise<FastifyReply> => {
    // Who has to go does not hurry us.
    if (status === 401) {
      reply.header("www-authenticate", 'Basic realm="assay-shared-signals"')
      await delay(refusalMs)
    }
    return await reply.code(status).send({ error, error_description: message })
  }

  await app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers()
    // Whatever else is sent is answered as this standard has it.
    scope.addContentTypeParser(
      "*",
      { parseAs: "string", bodyLimit: FORM_MAX },
      (request, body, done) => {
        const isForm = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() === FORM
        done(null, isForm ? new URLSearchParams(String(body)) : null)
      },
    )
    scope.post<{ Body: URLSearchParams | null }>(
      "/oauth/token",
      { schema: { hide: true }, bodyLimit: FORM_MAX },
      async (request, reply) => {
        reply.headers({ "cache-control": "no-store", pragma: "no-cache" })
        try {
          const { authorization } = request.headers
          const { token, scope: granted } = await grant(authorization, request.body ?? null)
          return await reply.send({
            ...{ access_token: token, token_type: "Bearer" },
            ...{ expires_in: TOKEN_SECONDS, scope: granted },
          })
        } catch (error) {
          if (error instanceof TokenError) return await refuse(reply, error)
          throw error
        }
      },
    )
  })
}

/** By one way of the two, and not by both (RFC 6749, section 2.3). */
function clientOf(
  authorization: string | undefined,
  form: URLSearchParams,
): { id: string; secret: string } {
  const [id, secret] = [form.get("client_id"), form.get("client_secret")]
  if (authorization === undefined) {
    if (id === null || secret === null)
      throw new TokenError("invalid_client", "client_id and client_secret are missing.", 401)
    return { id, secret }
  }
  if (secret !== null)
    throw new TokenError(
      "invalid_request",
      "The client is there twice: in the header and in the body.",
    )
  const basic = /^Basic ([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1]
  const pair = basic === undefined ? "" : Buffer.from(basic, "base64").toString("utf8")
  const colon = pair.indexOf(":")
  if (colon < 0) throw new TokenError("invalid_client", "The header is not of the kind Basic.", 401)
  const named = formDecoded(pair.slice(0, colon))
  if (id !== null && id !== named)
    throw new TokenError("invalid_request", "The body names another client than the header.")
  return { id: named, secret: formDecoded(pair.slice(colon + 1)) }
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}
