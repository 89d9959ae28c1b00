import type { FoundFormat } from "../formats/format.ts"
import { openParser } from "../formats/formats.ts"
import type { RowSink } from "../formats/parsed-row.ts"
import { errorName, ImportFailure } from "./import-failure.ts"

/** Runs a parser. An error is a bug in it; its message may hold the row, so it is dropped. */
export function parseBlock(format: FoundFormat, block: Buffer, sink: RowSink): number {
  try {
    return openParser(format).parse(block, sink)
  } catch (error) {
    throw new ImportFailure("parser", `The parser of ${format.name} failed (${errorName(error)})`)
  }
}
