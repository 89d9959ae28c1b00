import type { Format, RowSink } from "../formats/format.ts"
import { openParser } from "../formats/parsers.ts"
import { errorName, ImportFailure } from "./import-failure.ts"

/** Runs a parser. What it throws is a bug in it, told without the row it stumbled over. */
export function parseBlock(format: Format, block: Buffer, sink: RowSink): number {
  try {
    return openParser(format).parse(block, sink)
  } catch (error) {
    throw new ImportFailure("parser", `The parser of ${format.name} failed (${errorName(error)})`)
  }
}
