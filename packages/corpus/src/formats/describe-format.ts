import type { Detected } from "./detected.ts"
import type { Encoding } from "./encoding.ts"
import type { ColumnMap, Format } from "./format.ts"

const ENCODINGS: Readonly<Record<Encoding, string>> = {
  "utf-8": "",
  "utf-16le": ", in UTF-16 LE",
  "utf-16be": ", in UTF-16 BE",
}

const CONTROL_LEFT_BY_JSON = /[\u007f-\u009f]/g

/** What was found, as one line for the person at the terminal. */
export function describeFormat({ format, encoding }: Detected): string {
  return `${formatText(format)}${ENCODINGS[encoding]}`
}

function formatText(format: Format): string {
  switch (format.name) {
    case "combolist":
      return `lines of address and password, ${separation(format.delimiter)}`
    case "password-first":
      return `lines of password and address, ${separation(format.delimiter)}`
    case "url-login-password":
      return `lines of URL, login and password, ${separation(format.delimiter)}`
    case "labelled-lines":
      return `lines of labelled URL, login and password, ${separation(format.delimiter)}`
    case "stealer-blocks":
      return "blocks of URL, login and password, as stealers write them"
    case "csv":
      return `table, ${separation(format.delimiter)}; ${columnsText(format.columns)}`
    case "ndjson":
      return `lines of JSON; ${columnsText(format.columns)}`
    case "json":
      return `JSON; ${columnsText(format.columns)}`
    case "parquet":
      return `Parquet; ${columnsText(format.columns)}`
  }
}

function separation(delimiter: string): string {
  if (delimiter === "\t") return "separated by tabs"
  if (delimiter.trim() === "") return "separated by spaces"
  return `separated by "${delimiter}"`
}

/** Quoted as JSON, so that a column's name cannot send anything but text to a terminal. */
function columnsText(columns: ColumnMap): string {
  return Object.entries(columns)
    .map(([field, { name }]) => `${field} from ${JSON.stringify(name)}`)
    .join(", ")
    .replace(CONTROL_LEFT_BY_JSON, "?")
}
