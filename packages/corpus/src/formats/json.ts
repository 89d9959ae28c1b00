import { isInputFault } from "../inputs/member.ts"
import { kindOfColumns } from "./columns.ts"
import { CERTAIN, type FileFormat } from "./format.ts"
import { JsonElements } from "./json-elements.ts"
import {
  columnsOfObjects,
  describeColumns,
  jsonLineParser,
  type NamedColumns,
  objectIn,
  OBJECTS_MAX,
} from "./ndjson.ts"
import { plainText } from "./plain-text.ts"

/** One JSON document, cut into lines of one element each before it is parsed. */
export const json: FileFormat<NamedColumns> = {
  name: "json",
  title: "JSON",
  hasColumns: true,
  detect({ first, table, map }) {
    if (first !== "{" && first !== "[") return null
    const columns = columnsOfObjects(objectsOfDocument(table), map)
    return columns === null ? null : { found: { name: "json", columns }, fitting: CERTAIN }
  },
  blocks: (member, _found, encoding, blockBytes) =>
    jsonBlocks(member.name, plainText(member.bytes(), encoding), blockBytes),
  parser: ({ columns }) => jsonLineParser(columns),
  describe: describeColumns,
  impliedKind: ({ columns }) => kindOfColumns(columns),
}

function objectsOfDocument(head: Buffer): object[] {
  const elements = new JsonElements("The head", Infinity)
  try {
    elements.push(head)
  } catch (error) {
    if (isInputFault(error, "not-json")) return []
    throw error
  }
  const lines = elements.take()?.toString().split("\n", OBJECTS_MAX) ?? []
  return lines.flatMap(objectIn)
}

/**
 * Blocks of lines, each an element of the document. Throws InputError for one that is damaged or
 * cut off.
 */
async function* jsonBlocks(
  name: string,
  bytes: AsyncIterable<Buffer>,
  blockBytes: number,
): AsyncGenerator<Buffer> {
  const elements = new JsonElements(name, blockBytes)
  for await (const piece of bytes) {
    const block = elements.push(piece)
    if (block !== null) yield block
  }
  const rest = elements.take()
  if (rest !== null) yield rest
  elements.end()
}
