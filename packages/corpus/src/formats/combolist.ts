import { delimitedLines } from "./delimited-lines.ts"
import { Delimiter } from "./delimiter.ts"
import { lineParser } from "./lines.ts"
import { type BlockParser, credentialRow, type RowSink } from "./parsed-row.ts"

const ADDRESS = '[^\\s:;|,"<>@]{1,64}@(?:[^\\s:;|,"\'<>@.]{1,63}\\.)+[^\\s:;|,"\'<>@.]{2,63}'
const ADDRESS_FIRST = new RegExp(`^["'<]?${ADDRESS}["'>]?(?:\\s*$|\\s*([:;|,])|([\\t ]))`)
const ADDRESS_LAST = new RegExp(`([:;|\\t ])[\\t ]*["'<]?${ADDRESS}["'>]?$`)

// A local part in quotes may hold any delimiter; no unquoted one in these files does.
const QUOTED_LOCAL_PART = /^"(?:[^"\\]|\\.){0,64}"@/
const ANY_DELIMITER = /[:;|,\t ]/g
const OTHER_DELIMITER = /[\t ]*[:;|,] ?|[\t ]+/y

/**
 * Lines of an address and a password. The first delimiter after the address splits; the rest is the
 * password, further delimiters and fields included. Lists are put together from others, so single
 * lines may have another delimiter than the file. An address alone is a row without a secret.
 */
export const combolist = delimitedLines({
  name: "combolist",
  title: "lines of address and password",
  impliedKind: "combolist",
  usualDelimiter: ":",
  fits(text, delimiter) {
    const match = ADDRESS_FIRST.exec(text)
    // An address alone fits any delimiter.
    if (match === null || (match[1] ?? match[2] ?? delimiter) !== delimiter) return false
    return delimiter !== "," || !text.includes(",") || isCommaPair(text)
  },
  parser(delimiter) {
    const split = new Delimiter(delimiter)
    const lines = lineParser((line, text, sink) => {
      readAddressFirst(line, text.trimStart(), split, sink)
    })
    const byte = delimiter.length === 1 && delimiter.trim() !== "" ? delimiter.charCodeAt(0) : null
    return byte === null ? lines : plainLinesFirst(lines, byte)
  },
})

/** Lines of a password and an address: the address follows the last delimiter. */
export const passwordFirst = delimitedLines({
  name: "password-first",
  title: "lines of password and address",
  impliedKind: "combolist",
  usualDelimiter: ":",
  fits: (text, delimiter) =>
    ADDRESS_LAST.exec(text)?.[1] === delimiter && !ADDRESS_FIRST.test(text),
  parser(delimiter) {
    const split = new Delimiter(delimiter)
    return lineParser((line, written, sink) => {
      const text = written.trimEnd()
      const cut = split.findLast(text)
      if (cut === -1) readAddressFirst(line, text.trimStart(), split, sink)
      else if (!text.includes("@", cut)) sink.reject(line, "no-identity")
      else addRow(line, text.slice(cut + 1), text.slice(0, split.before(text, cut)), sink)
    })
  },
})

/**
 * An address, a comma and one word. More commas make a table without column names, and text with
 * spaces is more likely a person's name than a password.
 */
function isCommaPair(text: string): boolean {
  const comma = text.indexOf(",")
  return text.lastIndexOf(",") === comma && !/\s/.test(text.slice(comma + 1).trim())
}

/**
 * Lets the sink take what it can straight from the bytes; every other line takes the general path.
 */
function plainLinesFirst(lines: BlockParser, delimiter: number): BlockParser {
  return {
    parse(block, sink) {
      if (sink.plainLines === undefined) return lines.parse(block, sink)
      let line = 0
      const within: RowSink = {
        row: (at, row) => sink.row(line + at, row),
        reject: (at, reason) => sink.reject(line + at, reason),
      }
      const after = sink.plainLines(block, delimiter, (plain, from, to) => {
        line += plain
        line += lines.parse(block.subarray(from, to), within)
      })
      return line + after
    },
  }
}

function readAddressFirst(line: number, text: string, split: Delimiter, sink: RowSink): void {
  const first = split.find(text, 0)
  const quoted = text.startsWith('"') ? QUOTED_LOCAL_PART.exec(text) : null
  const at = quoted === null ? text.indexOf("@") : quoted[0].length - 1
  if (at === -1) {
    sink.reject(line, first === -1 ? "no-delimiter" : "no-identity")
    return
  }
  if (quoted === null && ((first !== -1 && first < at) || text.lastIndexOf("|", at) !== -1)) {
    // A user name, or an address in another place: nothing shows that this @ belongs to the first
    // field. Of the other delimiters only the pipe may be part of an address, and then everything
    // before it would be taken for the address's name.
    sink.reject(line, "no-identity")
    return
  }
  const cut = split.find(text, at)
  const end = addressEnd(text, at)
  if (end === -1) addRow(line, text, null, sink)
  else {
    const secretAt = end === cut ? split.after(text, cut) : afterOtherDelimiter(text, end)
    addRow(line, text.slice(0, end), text.slice(secretAt), sink)
  }
}

/** The end of the domain whose `@` is at `at`: a delimiter of any kind; -1 if none follows. */
function addressEnd(text: string, at: number): number {
  ANY_DELIMITER.lastIndex = at
  return ANY_DELIMITER.test(text) ? ANY_DELIMITER.lastIndex - 1 : -1
}

/** The position after a delimiter that is not the file's, or that has space around it. */
function afterOtherDelimiter(text: string, at: number): number {
  OTHER_DELIMITER.lastIndex = at
  return at + (OTHER_DELIMITER.exec(text)?.[0].length ?? 0)
}

function addRow(line: number, written: string, secret: string | null, sink: RowSink): void {
  const address = unwrapped(written)
  const inQuotes = address !== written && isInQuotes(written.trim())
  const password = inQuotes && secret !== null ? withoutQuotes(secret) : secret
  sink.row(line, credentialRow("email", address, password))
}

/** The address of `<address>`, `Name <address>` and `"address"`; anything else unchanged. */
function unwrapped(written: string): string {
  const last = written.charAt(written.length - 1)
  // Nearly every address ends in a letter of its domain.
  if (last > "?") return written
  const text = written.trim()
  if (text.endsWith(">")) return text.slice(text.lastIndexOf("<") + 1, -1)
  return isInQuotes(text) ? text.slice(1, -1) : text
}

/** A double quote inside of quotes is written twice, as tables have it. */
function withoutQuotes(text: string): string {
  if (!isInQuotes(text)) return text
  const inside = text.slice(1, -1)
  return text.startsWith('"') ? inside.replaceAll('""', '"') : inside
}

function isInQuotes(text: string): boolean {
  const first = text.charAt(0)
  return text.length >= 2 && (first === '"' || first === "'") && text.endsWith(first)
}
