import type { Member } from "../inputs/members.ts"
import type { Detected } from "./detect.ts"
import { textBytes } from "./encoding.ts"
import { lineBlocks } from "./line-blocks.ts"
import { stealerBlocks } from "./stealer-blocks.ts"

/** The pieces of a member that its parser reads apart from each other, each in memory of its own, to be handed away. */
export function blocksOf(member: Member, detected: Detected): AsyncIterable<Buffer> {
  const text = textBytes(member.bytes(), detected.encoding)
  switch (detected.format.name) {
    case "stealer-blocks":
      return stealerBlocks(text)
    default:
      return lineBlocks(text)
  }
}
