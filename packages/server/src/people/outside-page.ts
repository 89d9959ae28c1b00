import { hash } from "node:crypto"
import { html, page, PAGE_STYLE } from "@assay/drop/pages/html"

/** Sends the form of the page as soon as it is there. */
export const COMPLETING_SCRIPT = `"use strict"
document.querySelector("form").requestSubmit()
`

export const COMPLETING_SCRIPT_PATH = "/console/sign-in/oidc/complete.js"

/** Runs one script of ours and sends its form to this service alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'sha256-${hash("sha256", PAGE_STYLE, "base64")}'`,
  "img-src data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ")

export const PAGE_HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // The address of this page has the provider's code in it, and goes to nobody. With no-referrer
  // the browser would not say either where the form comes from.
  "referrer-policy": "strict-origin",
  "x-frame-options": "DENY",
}

/**
 * What the provider sends people back to. The cookies of a session are not sent or set on the way
 * from another site; the form of this page comes from our own.
 */
export function completingPage(action: string, returned: string): string {
  return page(
    "Sign in · Assay",
    html`<h1>Almost signed in</h1>
      <p>Your organisation's account was recognised. One step is left.</p>
      <form method="post" action="${action}">
        <input type="hidden" name="return" value="${returned}" />
        <button type="submit">Finish signing in</button>
      </form>
      <script src="${COMPLETING_SCRIPT_PATH}" defer></script>`,
  )
}
