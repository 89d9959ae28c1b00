import { createClient, type DropCalls, type DropKeys } from "@assay/client"
import { field, form, h } from "./dom.ts"
import { Rejected } from "../rejected.ts"
import { failureText } from "./failure-text.ts"

const TIMEOUT_MS = 30_000

interface SignInOptions {
  /** Where people sign in with the account of their organisation; null: nowhere. */
  readonly signInPath: string | null
  /** Somebody who is signed in and does not read the drop; null: nobody is. */
  readonly otherName: string | null
  readonly onSignedIn: (drop: DropCalls, keys: DropKeys) => void
}

/**
 * For who has no session that reads the drop: how to get one, or the operator token, which stays in
 * the memory of this page.
 */
export function signInView({ signInPath, otherName, onSignedIn }: SignInOptions): HTMLElement {
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
    otherName === null
      ? h(
          "p",
          {},
          "Recipients who are signed in to this service in this browser need no token: this page then opens by their session.",
        )
      : h(
          "p",
          { role: "alert" },
          `This browser is signed in as ${otherName}, who is no recipient of the drop. An administrator can give the role drop-recipient.`,
        ),
    signInPath === null
      ? null
      : h("p", {}, h("a", { href: signInPath }, "Sign in with the account of your organisation")),
    h(
      "p",
      {},
      "Or enter an operator token, as commands use one. It is kept in the memory of this page only. An administrator makes one with ",
      h("code", {}, "npx assay operators token --name NAME"),
      ".",
    ),
    form([field("Operator token", token)], "Continue", signIn, failureText),
  )
}
