import type { Call, Methods } from "@assay/runtime/rpc"
import type { DropDesk } from "./drop-desk.ts"

const DESK_METHODS = [
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
] as const satisfies readonly (keyof DropDesk)[]

/** The desk as the drop process offers it to a sealer. */
export function deskMethods(desk: DropDesk): Methods {
  return Object.fromEntries(DESK_METHODS.map((method) => [method, desk[method]]))
}

/** The desk as a sealer sees it. */
export function deskOver(call: Call): DropDesk {
  return Object.fromEntries(
    DESK_METHODS.map((method) => [method, (...args: unknown[]) => call(method, ...args)]),
  ) as unknown as DropDesk
}
