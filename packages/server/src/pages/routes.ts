import { hash } from "node:crypto"
import { type ProblemCode, problems } from "@assay/core/contract"
import type { FastifyReply } from "fastify"
import type { App } from "../app.ts"
import { html, page, PAGE_STYLE } from "./html.ts"

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", PAGE_STYLE, "base64")}'`,
  "img-src data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ")

/** The pages for a person with a browser: what this is, and what each problem means. And for their tools, the API description. */
export function pageRoutes(app: App): void {
  const schema = { hide: true }
  let description: string | undefined
  app.get("/openapi.json", { schema }, async (_request, reply) => {
    description ??= JSON.stringify(app.swagger())
    return reply.type("application/json").send(description)
  })
  app.get("/", { schema }, async (_request, reply) => sendPage(reply, home))
  app.get("/problems", { schema }, async (_request, reply) => sendPage(reply, problemIndex))
  for (const code of Object.keys(problems) as ProblemCode[]) {
    const text = problemPage(code)
    app.get(`/problems/${code}`, { schema }, async (_request, reply) => sendPage(reply, text))
  }
}

function sendPage(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .headers({ "content-security-policy": POLICY, "referrer-policy": "no-referrer" })
    .type("text/html; charset=utf-8")
    .send(text)
}

const home = page(
  "Assay",
  html`<h1>Assay</h1>
<p>Scores how risky an e-mail address or a phone number is, and says why, on your own machine.</p>
<p><a href="/docs">API reference</a> · <a href="/openapi.json">OpenAPI description</a> · <a href="/problems">Problems</a></p>
<h2>A first call</h2>
<p>With an API key (the demo prints one when it starts; <code>assay keys create</code> makes one):</p>
<pre tabindex="0">${firstCall("risk/score", `{"email": "ana.silva@mail.example"}`)}</pre>
<p>The answer holds a score from 0 to 100, the stage of the criminal lifecycle the address has reached, the reasons, and a
recommended action. <code>?explain=true</code> adds the scorer's input and how each part of it moved the score.</p>
<h2>A phone number</h2>
<pre tabindex="0">${firstCall("phone-risk", `{"phone_number": "+61491570156"}`)}</pre>`,
)

function firstCall(operation: string, body: string): string {
  return [
    `curl -s http://localhost:8080/api/v1/${operation}`,
    `-H "Authorization: Bearer $ASSAY_KEY"`,
    `-H "Content-Type: application/json"`,
    `-d '${body}'`,
  ].join(" \\\n  ")
}

const problemIndex = page(
  "Problems · Assay",
  html`<h1>Problems</h1>
<p>Every failure is a problem document (RFC 9457) with one of these codes. A code keeps its meaning.</p>
<dl>${Object.entries(problems).map(
    ([code, { status, title }]) => html`
<dt><a href="/problems/${code}"><code>${code}</code></a> <span class="soft">${status}</span></dt><dd>${title}</dd>`,
  )}
</dl>`,
)

function problemPage(code: ProblemCode): string {
  const { status, title, meaning } = problems[code]
  return page(
    `${title} · Assay`,
    html`<p class="soft">Problem <code>${code}</code>, HTTP status ${status}</p>
      <h1>${title}</h1>
      <p>${meaning}</p>
      <p><a href="/problems">All problems</a> · <a href="/docs">API reference</a></p>`,
  )
}
