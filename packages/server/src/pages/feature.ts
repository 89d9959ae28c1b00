import { hash } from "node:crypto"
import { EVENT_KINDS, type ProblemCode, problems } from "@assay/core/contract"
import type { FastifyReply } from "fastify"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import type { Secrets } from "@assay/runtime/secrets"
import { demoApiKey } from "../accounts/api-key.ts"
import type { Config } from "../base/config.ts"
import { Problem } from "../base/problem.ts"
import { consoleFileRoutes, consolePage } from "./console-page.ts"
import { loadConsoleFiles } from "./console-files.ts"
import { eventIndex, eventPage, inCode, isEventKind } from "./event-pages.ts"
import { addressOf, hostnameOf, plainHome } from "./home-page.ts"
import { html, page, PAGE_STYLE } from "@assay/drop/pages/html"

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", PAGE_STYLE, "base64")}'`,
  "img-src data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ")

export interface PageServices {
  /** Whether recipients of the drop have an inbox here. */
  readonly askDrop: object | null
  /**
   * Where the drop is for a visitor who reached us by this name; null where there is none, or that
   * is not known.
   */
  readonly dropPage: (hostname: string) => string | null
  readonly config: Pick<Config, "production" | "home" | "oidc" | "signUp">
  readonly secrets: Pick<Secrets, "subkeys">
}

export const pages: Feature<PageServices> = { routes: pageRoutes }

/**
 * The pages for a person with a browser: what this is, and what each problem and each event means.
 * And for their tools, the API description.
 */
function pageRoutes(app: App, services: PageServices): void {
  const schema = { hide: true }
  let description: string | undefined
  app.get("/openapi.json", { schema }, async (_request, reply) => {
    description ??= JSON.stringify(app.swagger())
    return reply.type("application/json").send(description)
  })
  consoleRoutes(app, services)
  app.get("/problems", { schema }, async (_request, reply) => sendPage(reply, problemIndex()))
  const paths = Object.keys(problems).map((code) => `/problems/${code}`)
  app.get<{ Params: { code: string } }>(
    "/problems/:code",
    { schema, config: { paths } },
    async ({ params: { code } }, reply) => {
      if (!isProblemCode(code))
        throw new Problem("not-found", "No operation or page has this path.")
      return sendPage(reply, problemPage(code))
    },
  )
  app.get("/event-types", { schema }, async (_request, reply) => sendPage(reply, eventIndex()))
  app.get<{ Params: { kind: string } }>(
    "/event-types/:kind",
    { schema, config: { paths: EVENT_KINDS.map((kind) => `/event-types/${kind}`) } },
    async ({ params: { kind } }, reply) => {
      if (!isEventKind(kind)) throw new Problem("not-found", "No operation or page has this path.")
      return sendPage(reply, eventPage(kind))
    },
  )
}

/** Below the console, and pages of other features: where one is off, nothing is there. */
const OF_OTHERS = /^\/console\/(drop|files|sign-in)\b/

/** The first page and the console are one: which page it shows is decided in the browser. */
function consoleRoutes(app: App, services: PageServices): void {
  const { askDrop, dropPage, config, secrets } = services
  const files = loadConsoleFiles()
  const signInPath = config.oidc === null ? null : "/console/sign-in/oidc"
  consoleFileRoutes(app, files)
  for (const path of ["/", "/console", "/console/*"])
    app.get(path, { schema: { hide: true } }, async ({ raw }, reply) => {
      if (OF_OTHERS.test(raw.url ?? "")) throw new Problem("not-found", "There is no such page.")
      const address = addressOf(raw)
      const drop = dropPage(hostnameOf(address))
      if (isFirstPage(raw.url) && config.production && config.home === "drop" && drop !== null)
        return reply.headers({ "referrer-policy": "no-referrer" }).redirect(drop, 302)
      const inbox = askDrop === null ? null : "/console/drop"
      const demoKey = config.production ? null : demoApiKey(secrets.subkeys["demo-key"], "page")
      const hasSignUp = config.signUp !== "off"
      const facts = { demoKey, signInPath, dropPage: drop, hasInbox: askDrop !== null, hasSignUp }
      const view = path === "/" && demoKey !== null ? "home" : "console"
      const plain = plainHome(address, { drop, inbox })
      const { headers, text } = consolePage(files, facts, view, plain)
      return reply.headers(headers).type("text/html; charset=utf-8").send(text)
    })
}

function isFirstPage(url = ""): boolean {
  return url === "/" || url.startsWith("/?")
}

function sendPage(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .headers({ "content-security-policy": POLICY, "referrer-policy": "no-referrer" })
    .type("text/html; charset=utf-8")
    .send(text)
}

function problemIndex(): string {
  return page(
    "Problems · Assay",
    html`<h1>Problems</h1>
<p>Every failure is a problem document (RFC 9457) with one of these codes. A code keeps its meaning.</p>
<dl>${Object.entries(problems).map(
      ([code, { status, title }]) => html`
<dt><a href="/problems/${code}"><code>${code}</code></a> <span class="soft">${status}</span></dt><dd>${title}</dd>`,
    )}
</dl>`,
  )
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code)
}

function problemPage(code: ProblemCode): string {
  const { status, title, meaning } = problems[code]
  return page(
    `${title} · Assay`,
    html`<p class="soft">Problem <code>${code}</code>, HTTP status ${status}</p>
      <h1>${title}</h1>
      <p>${inCode(meaning)}</p>
      <p><a href="/problems">All problems</a> · <a href="/docs">API reference</a></p>`,
  )
}
