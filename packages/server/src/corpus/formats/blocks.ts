import type { Member } from "../inputs/members.ts"
import type { Detected } from "./detect.ts"
import { lineBlocks } from "./line-blocks.ts"

/** The pieces of a member that its parser reads apart from each other, each in memory of its own, to be handed away. */
export function blocksOf(member: Member, _detected: Detected): AsyncIterable<Buffer> {
  return lineBlocks(member.bytes())
}
