import { combolistParser, passwordFirstParser } from "./combolist.ts"
import type { BlockParser, Format } from "./format.ts"
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
    case "stealer-blocks":
      return stealerBlocksParser()
    default:
      throw new RangeError("There is no parser of this format")
  }
}
