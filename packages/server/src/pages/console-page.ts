import { randomBytes } from "node:crypto"
import { html, type Html } from "@assay/drop/pages/html"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import type { ConsoleEntry, ConsoleFiles } from "./console-files.ts"

/** What the scripts of the page are told of the service. */
export interface ConsoleFacts {
  /** A key of the demo that may only score; null in production. */
  readonly demoKey: string | null
  /** Where people begin to sign in with their company's account; null: nowhere. */
  readonly signInPath: string | null
  /** Where senders find the drop; null where there is none or its address is not known. */
  readonly dropPage: string | null
  readonly hasInbox: boolean
  readonly hasSignUp: boolean
}

export const CONSOLE_FILES = "/console/files/"
const ICON_PATH = "/console/icon.svg"
/** The stamp of an assay office: a ring and a bar. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.5" fill="none" stroke="#0b5c5c" stroke-width="2"/><path d="M5 10.5 8 4l3 6.5M6.2 8.5h3.6" fill="none" stroke="#0b5c5c" stroke-width="1.6"/></svg>'

/** The library of the page adds style elements, which carry the nonce of the answer. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "worker-src 'self'",
    "img-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ")
}

const HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), clipboard-read=(), browsing-topics=()",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
}

/** The policy of a worker comes with its file: it may ask the service, and load nothing. */
const WORKER_POLICY = "default-src 'none'; connect-src 'self'"

/**
 * The files of the console. Their names hold their hashes, so a browser need never ask again. The
 * service worker among them can have their folder as its scope and no more, so it is no page's.
 */
export function consoleFileRoutes(app: App, files: ConsoleFiles): void {
  app.get(ICON_PATH, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({ ...HEADERS, "content-security-policy": "default-src 'none'" })
      .type("image/svg+xml")
      .send(ICON),
  )
  app.get<{ Params: { file: string } }>(
    `${CONSOLE_FILES}:file`,
    { schema: { hide: true } },
    async ({ params, headers }, reply) => {
      const file = files.packed(params.file)
      if (file === null) throw new Problem("not-found", "The console has no such file.")
      const takesGzip = /\bgzip\b/.test(headers["accept-encoding"] ?? "")
      return reply
        .headers({
          ...HEADERS,
          "content-security-policy":
            params.file === files.entry.worker ? WORKER_POLICY : "default-src 'none'",
          "cache-control": "public, max-age=31536000, immutable",
          vary: "accept-encoding",
          ...(takesGzip && { "content-encoding": "gzip" }),
        })
        .type(file.type)
        .send(takesGzip ? file.gzip : file.plain())
    },
  )
}

/** A page of the console: an empty one, which its script fills. */
export function consolePage(
  files: ConsoleFiles,
  facts: ConsoleFacts,
  view: keyof ConsoleEntry["preload"],
  noscript: Html,
): { headers: Record<string, string>; text: string } {
  const nonce = randomBytes(16).toString("base64")
  const { script, styles, preload } = files.entry
  const next = view === "home" ? preload.home : preload.console
  const links = styles.map(
    (style) => html`<link rel="stylesheet" href="${CONSOLE_FILES + style}" />`,
  )
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Assay</title>
        <link rel="icon" type="image/svg+xml" href="${ICON_PATH}" />
        ${links}
        ${next.map((name) => html`<link rel="modulepreload" href="${CONSOLE_FILES + name}" />`)}
        <script type="module" src="${CONSOLE_FILES + script}"></script>
      </head>
      <body>
        <div
          id="console"
          data-nonce="${nonce}"
          data-demo-key="${facts.demoKey ?? ""}"
          data-sign-in="${facts.signInPath ?? ""}"
          data-drop="${facts.dropPage ?? ""}"
          data-inbox="${String(facts.hasInbox)}"
          data-sign-up="${String(facts.hasSignUp)}"
        ></div>
        <noscript>${noscript}</noscript>
      </body>
    </html> `.text
  return { headers: { ...HEADERS, "content-security-policy": policyOf(nonce) }, text }
}
