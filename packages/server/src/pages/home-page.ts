import type { IncomingMessage } from "node:http"
import { html, type Html } from "@assay/drop/pages/html"

export interface HomeLinks {
  /** Where senders find the drop; null if there is none or its address is not known. */
  readonly drop: string | null
  /** Where its recipients read; null without a drop. */
  readonly inbox: string | null
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:\d{1,5})?$/i

/** The address a request reached us by, as its sender may use it again. */
export function addressOf({
  headers,
  socket,
}: Pick<IncomingMessage, "headers" | "socket">): string {
  const { host = "", "x-forwarded-proto": proto } = headers
  if (!HOST.test(host)) return `http://localhost:${socket.localPort ?? ""}`
  return `${proto === "https" ? "https" : "http"}://${host}`
}

/** The name in an address, without its port. */
export function hostnameOf(address: string): string {
  return address.replace(/^https?:\/\//, "").replace(/:\d+$/, "")
}

/**
 * What a person without scripts sees first: where everything is, and calls that work as printed.
 */
export function plainHome(address: string, { drop, inbox }: HomeLinks): Html {
  const links: [href: string, name: string][] = [
    ["/docs", "API reference"],
    ["/openapi.json", "OpenAPI description"],
    ["/problems", "Problems"],
    ...(drop === null ? [] : [[drop, "Anonymous drop"] as [string, string]]),
    ...(inbox === null ? [] : [[inbox, "Inbox of the drop"] as [string, string]]),
  ]
  return html`<h1>Assay</h1>
<p>Scores how risky an e-mail address or a phone number is, and says why, on your own machine. This is
<code>${address}</code>.</p>
<p>${links.map(([href, name], n) => html`${n === 0 ? "" : " · "}<a href="${href}">${name}</a>`)}</p>
<h2>A first call</h2>
<p>With an API key in the variable <code>ASSAY_API_KEY</code>. The demo prints one when it starts;
<code>npx assay keys create --tenant NAME</code> makes one.</p>
<pre tabindex="0">${firstCall(address, "risk/score", `{"email": "ana.silva@mail.example"}`)}</pre>
<p>The answer holds a score from 0 to 100, the stage of the criminal lifecycle the address has reached, the reasons, and a
recommended action. <code>?explain=true</code> adds the scorer's input and how each part of it moved the score.</p>
<h2>A phone number</h2>
<pre tabindex="0">${firstCall(address, "phone-risk", `{"phone_number": "+61491570156"}`)}</pre>
<p>The console and the playground need JavaScript; all of it is also in the API and in <code>npx assay</code>.</p>`
}

function firstCall(address: string, operation: string, body: string): string {
  return [
    `curl -s ${address}/api/v1/${operation}`,
    `-H "Authorization: Bearer $ASSAY_API_KEY"`,
    `-H "Content-Type: application/json"`,
    `-d '${body}'`,
  ].join(" \\\n  ")
}
