import { combolistParser, passwordFirstParser } from "./combolist.ts"
import { csvParser } from "./csv.ts"
import type { BlockParser, Format } from "./format.ts"
import { labelledLinesParser } from "./labelled-lines.ts"
import { ndjsonParser } from "./ndjson.ts"
import { PARQUET_LINE_COLUMNS } from "./parquet-lines.ts"
import { stealerBlocksParser } from "./stealer-blocks.ts"
import { urlLoginPasswordParser } from "./url-login-password.ts"

/** The parser of a format. */
export function openParser(format: Format): BlockParser {
  switch (format.name) {
    case "combolist":
      return combolistParser(format.delimiter)
    case "password-first":
      return passwordFirstParser(format.delimiter)
    case "url-login-password":
      return urlLoginPasswordParser(format.delimiter)
    case "labelled-lines":
      return labelledLinesParser(format.delimiter)
    case "stealer-blocks":
      return stealerBlocksParser()
    case "csv":
      return csvParser(format)
    // Documents are cut into lines of one element each before they come here.
    case "ndjson":
    case "json":
      return ndjsonParser(format.columns)
    case "parquet":
      return ndjsonParser(PARQUET_LINE_COLUMNS)
    default:
      throw new RangeError("There is no parser of this format")
  }
}
