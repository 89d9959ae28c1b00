import { portOf } from "@assay/runtime/rpc"
import type { PublicDrop } from "./public-drop.ts"

/** The drop, as a sealer reaches it in the drop process. */
export const publicDropPort = portOf<PublicDrop>("drop", {
  facts: true,
  headers: true,
  recipients: true,
  newFormToken: true,
  formTokenState: true,
  spendFormToken: true,
  isRightAnswer: true,
  admit: true,
  storePiece: true,
  finish: true,
  abandon: true,
  replies: true,
  deleteReplies: true,
  withdraw: true,
})
