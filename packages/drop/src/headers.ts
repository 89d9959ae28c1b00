import type { IncomingHttpHeaders } from "node:http"
import type { DropConfig } from "./drop-config.ts"

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types drop-worker",
].join("; ")

const EVERY_ANSWER = {
  "Content-Security-Policy": POLICY,
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy":
    "camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), clipboard-read=(), browsing-topics=()",
  "X-DNS-Prefetch-Control": "off",
  "X-Robots-Tag": "noarchive",
  // Every request passes the door, which looks at the first one of a connection only.
  Connection: "close",
} as const

/** Added on the page a sender leaves by. */
export const CLEAR_SITE_DATA = { "Clear-Site-Data": '"cache", "cookies", "storage"' } as const

/**
 * The headers of every answer of the drop. No `Date`: a clock that runs slightly wrong identifies
 * the machine behind an onion address.
 */
export function dropHeaders(
  { origin, onion }: Pick<DropConfig, "origin" | "onion">,
  { byOnion }: { readonly byOnion: boolean },
): Record<string, string> {
  if (byOnion || origin?.startsWith("https:") !== true) return { ...EVERY_ANSWER }
  return {
    ...EVERY_ANSWER,
    "Strict-Transport-Security": "max-age=63072000",
    ...(onion !== null && { "Onion-Location": `${onion}/drop` }),
  }
}

/**
 * Whether a visitor came by an onion address. Nothing else is ever read from the host they name.
 */
export function cameByOnion(host: string | undefined): boolean {
  return /\.onion\.?(:\d+)?$/i.test(host ?? "")
}

/**
 * Whether the browser reports that another site made this request. `Origin` cannot show that: with
 * `no-referrer` our own form posts `null`. Older browsers, scripts and command lines send no header
 * at all.
 */
export function fromElsewhere(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"]
  return site !== undefined && site !== "same-origin"
}
