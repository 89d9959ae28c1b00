import type { Call, Methods } from "@assay/runtime/rpc"
import type { PublicDrop } from "./public-drop.ts"

const METHODS = [
  "facts",
  "headers",
  "recipients",
  "newFormToken",
  "formTokenState",
  "spendFormToken",
  "isRightAnswer",
  "admit",
  "storePiece",
  "finish",
  "abandon",
  "replies",
  "deleteReplies",
  "withdraw",
] as const satisfies readonly (keyof PublicDrop)[]

/** The drop as its process offers it to a sealer. */
export function publicDropMethods(drop: PublicDrop): Methods {
  return Object.fromEntries(METHODS.map((method) => [method, drop[method]]))
}

/** The drop as a sealer sees it. */
export function publicDropOver(call: Call): PublicDrop {
  return Object.fromEntries(
    METHODS.map((method) => [method, (...args: unknown[]) => call(method, ...args)]),
  ) as unknown as PublicDrop
}
