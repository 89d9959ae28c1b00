import type { Member } from "../inputs/members.ts"
import type { Detected } from "./detect.ts"
import { jsonBlocks } from "./json-blocks.ts"
import { lineBlocks } from "./line-blocks.ts"
import { parquetBlocks } from "./parquet.ts"
import { plainText } from "./plain-text.ts"
import { csvBlocks, jsonLineBlocks } from "./row-blocks.ts"

/** The pieces of a member that its parser reads apart from each other, each in memory of its own, to be handed away. */
export function blocksOf(member: Member, { format, encoding }: Detected): AsyncIterable<Buffer> {
  switch (format.name) {
    case "csv":
      return csvBlocks(plainText(member.bytes(), encoding), format.delimiter)
    case "ndjson":
      return jsonLineBlocks(plainText(member.bytes(), encoding))
    case "json":
      return jsonBlocks(member.name, plainText(member.bytes(), encoding))
    case "parquet":
      return parquetBlocks(member, format.columns)
    default:
      return lineBlocks(member.bytes())
  }
}
