import { combolistParser } from "./combolist.ts"
import type { BlockParser, Format } from "./format.ts"

/** The parser of a format. */
export function openParser(format: Format): BlockParser {
  switch (format.name) {
    case "combolist":
      return combolistParser(format.delimiter)
    default:
      throw new RangeError("There is no parser of this format")
  }
}
