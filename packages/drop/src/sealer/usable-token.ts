import type { DropDesk } from "../drop-desk.ts"

/**
 * The token of a form that comes back: its own while that can still be used, since a new one must
 * wait before it counts.
 */
export async function usableToken(
  desk: Pick<DropDesk, "formTokenState" | "newFormToken">,
  old = "",
): Promise<string> {
  const state = old === "" ? "wrong" : await desk.formTokenState(old)
  return state === "ok" || state === "early" ? old : await desk.newFormToken()
}
