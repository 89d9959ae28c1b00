import type { PublicDrop } from "../public-drop.ts"

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
