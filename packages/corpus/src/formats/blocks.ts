import type { Member } from "../inputs/member.ts"
import type { Detected } from "./detected.ts"
import { textBytes } from "./encoding.ts"
import { jsonBlocks } from "./json-blocks.ts"
import { lineBlocks } from "./line-blocks.ts"
import { parquetBlocks } from "./parquet.ts"
import { plainText } from "./plain-text.ts"
import { BLOCK_BYTES, takenFrom } from "./row-bytes.ts"
import { csvBlocks, jsonLineBlocks } from "./row-blocks.ts"
import { stealerBlocks } from "./stealer-blocks.ts"

/**
 * The pieces of a member that its parser reads apart from each other, each in memory of its own, to
 * be handed away. Whoever made a block loses it here, before it is seen: one that reads it again
 * fails wherever it runs, and not only where a thread takes the block.
 */
export async function* blocksOf(
  member: Member,
  detected: Detected,
  blockBytes: number = BLOCK_BYTES,
): AsyncGenerator<Buffer> {
  for await (const block of madeBlocks(member, detected, blockBytes)) yield takenFrom(block)
}

function madeBlocks(
  member: Member,
  { format, encoding }: Detected,
  blockBytes: number,
): AsyncIterable<Buffer> {
  switch (format.name) {
    case "csv":
      return csvBlocks(plainText(member.bytes(), encoding), format.delimiter, blockBytes)
    case "ndjson":
      return jsonLineBlocks(plainText(member.bytes(), encoding), blockBytes)
    case "json":
      return jsonBlocks(member.name, plainText(member.bytes(), encoding), blockBytes)
    case "parquet":
      return parquetBlocks(member, format.columns, blockBytes)
    case "stealer-blocks":
      return stealerBlocks(textBytes(member.bytes(), encoding), blockBytes)
    default:
      return lineBlocks(textBytes(member.bytes(), encoding), blockBytes)
  }
}
