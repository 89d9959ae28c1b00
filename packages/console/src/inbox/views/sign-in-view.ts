import { createClient, type DropCalls, type DropKeys } from "@assay/client"
import { field, form, h } from "./dom.ts"
import { failureText, Rejected } from "./failure-text.ts"

const TIMEOUT_MS = 30_000

/** Asks for the operator token, which stays in the memory of this page. */
export function signInView(onSignedIn: (drop: DropCalls, keys: DropKeys) => void): HTMLElement {
  const token = h("input", {
    id: "token",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    autocapitalize: "none",
  })
  const signIn = async (): Promise<void> => {
    const apiKey = token.value.trim()
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new Rejected("Enter your operator token.")
    const { drop } = createClient({
      baseUrl: location.origin,
      apiKey,
      timeoutMs: TIMEOUT_MS,
      // The token is the operator's own, typed in by them.
      dangerouslyAllowBrowser: true,
    })
    const keys = await drop.keys()
    token.value = ""
    onSignedIn(drop, keys)
  }
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Sign in"),
    h(
      "p",
      {},
      "The token is kept in the memory of this page only. An administrator makes one with ",
      h("code", {}, "npx assay operators token --name NAME"),
      ".",
    ),
    form([field("Operator token", token)], "Continue", signIn, failureText),
  )
}
