import type { App } from "../http/app.ts"
import { loadBrowserFiles, type ServedFile } from "@assay/drop/browser-files"
import { dropPage } from "./drop-page.ts"

/**
 * Loads nothing of anybody else's, runs one script and one worker of ours, and talks to this
 * service alone. Frames show pictures that were cleaned in the page; they are sandboxed and run
 * nothing.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
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

/** Below this path the scripts of the inbox say their own worker is. */
const FILES = "/console/drop/files/"

/**
 * The inbox of the drop's recipients: a page and its files, the same for everybody. What it shows,
 * it fetches itself.
 */
export function consoleDropRoutes(app: App): void {
  const files = loadBrowserFiles()
  const [script, worker, style] = ["inbox", "inbox-worker", "inbox-style"].map((name) =>
    files.get(name),
  ) as [ServedFile, ServedFile, ServedFile]
  const schema = { hide: true }
  const page = dropPage({
    style: FILES + style.file,
    styleIntegrity: style.integrity,
    script: FILES + script.file,
    scriptIntegrity: script.integrity,
  })
  app.get("/console/drop", { schema }, async (_request, reply) =>
    reply.headers(HEADERS).type("text/html; charset=utf-8").send(page),
  )
  for (const { file, type, bytes } of [script, worker, style]) {
    app.get(FILES + file, { schema }, async (_request, reply) =>
      // The policy of a worker is that of its own answer: nothing may be loaded by it.
      reply
        .headers({ ...HEADERS, "content-security-policy": "default-src 'none'" })
        .type(type)
        .send(bytes),
    )
  }
}
