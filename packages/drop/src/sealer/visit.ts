import type { Recipients } from "@assay/core/drop"
import type { PublicDrop } from "../public-drop.ts"
import type { DropFacts, Locale, PageFiles } from "../pages/page-input.ts"
import type { FormBody } from "./form-body.ts"

/** One form that was sent without JavaScript, and everything needed to answer it. */
export interface Visit {
  readonly locale: Locale
  readonly facts: DropFacts
  readonly recipients: Recipients
  readonly files: PageFiles
  readonly drop: PublicDrop
  readonly body: FormBody
  /**
   * Where the connection comes from; undefined on a socket. Passed to the budgets, and kept
   * nowhere.
   */
  readonly address: string | undefined
}

/**
 * The token of a form that comes back: its own while that can still be used, since a new one must
 * wait before it counts.
 */
export async function usableToken(
  drop: Pick<PublicDrop, "formTokenState" | "newFormToken">,
  old = "",
): Promise<string> {
  const state = old === "" ? "wrong" : await drop.formTokenState(old)
  return state === "ok" || state === "early" ? old : await drop.newFormToken()
}
