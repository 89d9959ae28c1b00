import type { App } from "../http/app.ts"
import { loadBrowserFiles, type ServedFile } from "@assay/drop/browser-files"
import { html } from "@assay/drop/pages/html"

/**
 * Loads nothing of anybody else's, runs one script and one worker of ours, and talks to this
 * service alone. Its one image is its icon: Firefox asks for one in any case, and reports it where
 * the policy forbids it. Frames show pictures that were cleaned in the page; they are sandboxed and
 * run nothing.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src blob:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types inbox-worker",
].join("; ")

const HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), clipboard-read=(), browsing-topics=()",
  "referrer-policy": "no-referrer",
  "x-dns-prefetch-control": "off",
  "x-frame-options": "DENY",
}

/** The scripts of the inbox expect their worker below this path. */
const FILES = "/console/drop/files/"
/** The console's own, which it serves. */
const ICON = "/console/icon.svg"

/**
 * The inbox of the drop's recipients: a page and its files, the same for everybody. What it shows,
 * it fetches itself. `signInPath`: where single sign-on begins; null: there is none.
 */
export function inboxPageRoutes(app: App, signInPath: string | null): void {
  const files = loadBrowserFiles()
  const [script, worker, style] = ["inbox", "inbox-worker", "inbox-style"].map((name) =>
    files.get(name),
  ) as [ServedFile, ServedFile, ServedFile]
  const schema = { hide: true }
  const page = inboxPage({
    style: FILES + style.file,
    styleIntegrity: style.integrity,
    script: FILES + script.file,
    signInPath,
    scriptIntegrity: script.integrity,
  })
  app.get("/console/drop", { schema }, async (_request, reply) =>
    reply.headers(HEADERS).type("text/html; charset=utf-8").send(page),
  )
  for (const { file, type, bytes } of [script, worker, style]) {
    app.get(FILES + file, { schema }, async (_request, reply) =>
      // A worker's policy comes with its own response: it may load nothing.
      reply
        .headers({ ...HEADERS, "content-security-policy": "default-src 'none'" })
        .type(type)
        .send(bytes),
    )
  }
}

interface PageFiles {
  readonly style: string
  readonly styleIntegrity: string
  readonly script: string
  readonly scriptIntegrity: string
  readonly signInPath: string | null
}

/** The page of the inbox. All that is in it later is put there by its script, as text. */
function inboxPage(files: PageFiles): string {
  const { style, styleIntegrity, script, scriptIntegrity, signInPath } = files
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Drop inbox · Assay</title>
        <link rel="icon" type="image/svg+xml" href="${ICON}" />
        <link rel="stylesheet" href="${style}" integrity="${styleIntegrity}" />
        <script src="${script}" integrity="${scriptIntegrity}" defer></script>
      </head>
      <body>
        <header><h1>Drop inbox</h1></header>
        <main data-sign-in="${signInPath ?? ""}">
          <noscript>
            <p>
              This page opens messages in your browser and needs JavaScript for it. Without it, use
              <code>npx assay drop sync</code> and <code>npx assay drop open</code>.
            </p>
          </noscript>
        </main>
      </body>
    </html> `.text
}
