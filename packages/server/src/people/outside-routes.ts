import type { IncomingMessage } from "node:http"
import { cookieOf, setCookie } from "../accounts/caller-of.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import { CALLBACK } from "./oidc/provider.ts"
import { rolesOf } from "./oidc/roles.ts"
import {
  isOwnState,
  openTransactions,
  TRANSACTION_MS,
  type Transactions,
} from "./oidc/transaction.ts"
import {
  COMPLETING_SCRIPT,
  COMPLETING_SCRIPT_PATH,
  completingPage,
  PAGE_HEADERS,
} from "./outside-page.ts"
import type { People } from "./people.ts"
import { answerSignedIn, visitorOf } from "./requests.ts"
import type { PeopleServices } from "./services.ts"

export const TRANSACTION_COOKIE = "__Host-assay-oidc"
const START = "/console/sign-in/oidc"
const COMPLETE = "/console/sign-in/oidc/complete"
/** Codes of providers have some hundred characters; those with tokens in them some thousand. */
const RETURN_MAX = 8_000
const FORM_MAX = 16_384
const schema = { hide: true }

/** Single sign-on, where there is a provider: pages for a browser on its way there and back. */
export function outsideRoutes(app: App, services: PeopleServices, writer: People): void {
  const { config, signInProvider: provider, secrets, consoleOrigin, log, now } = services
  const { oidc } = config
  if (oidc === null || provider === null) return
  let opened: Transactions | undefined
  const transactions = (): Transactions => (opened ??= openTransactions(secrets, now))
  const originOf = (request: IncomingMessage): string => {
    const origin = consoleOrigin(request)
    if (origin === null) throw new Problem("people-off", "Set CONSOLE_ORIGIN first.")
    return origin
  }

  // A link anywhere may lead here: it only begins what the person ends at the provider.
  app.get(START, { schema }, async ({ raw }, reply) => {
    const { transaction, cookie } = transactions().begin(originOf(raw))
    const url = await provider.authorizationUrl(transaction)
    return reply
      .header("set-cookie", setCookie(TRANSACTION_COOKIE, cookie, TRANSACTION_MS / 1000, "Lax"))
      .header("referrer-policy", "no-referrer")
      .redirect(url, 302)
  })

  // Comes from the provider's site: it signs nobody in, and only hands on what it was given.
  app.get(CALLBACK, { schema }, async ({ raw }, reply) => {
    const transaction = transactions().read(cookieOf(raw, TRANSACTION_COOKIE), originOf(raw))
    const [, query = ""] = (raw.url ?? "").split("?")
    if (query.length > RETURN_MAX) throw refused("The provider's answer is too long.")
    if (!isOwnState(transaction, stateIn(query)))
      throw refused("The answer belongs to another sign-in; begin again.")
    const returned = transactions().sealReturn(transaction, query)
    return reply
      .headers(PAGE_HEADERS)
      .type("text/html; charset=utf-8")
      .send(completingPage(COMPLETE, returned))
  })

  app.get(COMPLETING_SCRIPT_PATH, { schema }, async (_request, reply) =>
    reply.headers(PAGE_HEADERS).type("text/javascript; charset=utf-8").send(COMPLETING_SCRIPT),
  )

  app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      "application/x-www-form-urlencoded",
      { parseAs: "string", bodyLimit: FORM_MAX },
      (_request, body, done) => done(null, new URLSearchParams(String(body))),
    )
    scope.post<{ Body: URLSearchParams }>(
      COMPLETE,
      { schema, bodyLimit: FORM_MAX },
      async (request, reply) => {
        const { origin } = visitorOf(request, services)
        const transaction = transactions().read(cookieOf(request.raw, TRANSACTION_COOKIE), origin)
        const query = transactions().openReturn(transaction, request.body.get("return") ?? "")
        await writer.takeTransaction({ id: transaction.id, endsAt: transaction.endsAt })
        const { issuer, subject, claims } = await provider.accountOf(transaction, query)
        const roles = rolesOf(claims, oidc)
        const { kept, ...signedIn } = await writer.signInFromOutside({
          issuer,
          subject,
          name: textOf(claims["name"]),
          email: textOf(claims["email"]),
          roles,
          requestId: request.id,
        })
        if (kept.length > 0)
          log.warn("somebody keeps a role that nobody else has", { count: kept.length })
        answerSignedIn(reply, signedIn, now())
        reply.header("set-cookie", setCookie(TRANSACTION_COOKIE, "", 0, "Lax"))
        const isRecipient = roles.some(({ role }) => role === "drop-recipient")
        return reply.redirect(
          isRecipient && services.askDrop !== null ? "/console/drop" : "/console",
          303,
        )
      },
    )
  })
}

function stateIn(query: string): string | null {
  const states = new URLSearchParams(query).getAll("state")
  return states.length === 1 ? (states[0] ?? null) : null
}

function textOf(claim: unknown): string | null {
  return typeof claim === "string" ? claim : null
}

function refused(detail: string): Problem {
  return new Problem("sign-in-refused", detail)
}
