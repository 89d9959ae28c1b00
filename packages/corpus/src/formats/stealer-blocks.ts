import { DELIMITERS, LINE_LENGTH_MAX } from "./delimited-lines.ts"
import { textBytes } from "./encoding.ts"
import { CERTAIN, type FileFormat } from "./format.ts"
import type { BlockParser, RowSink } from "./parsed-row.ts"
import { isLabelledLogin } from "./labelled-lines.ts"
import { lineBlocks } from "./line-blocks.ts"
import { eachLine, isTooLong } from "./lines.ts"
import { addLogin, identityTypeOf } from "./login-row.ts"
import { BLOCK_BYTES, cutInTwo, ownBytes } from "./row-bytes.ts"
import {
  kindOfLine,
  type LineKind,
  readRecordLine,
  RecordBounds,
  type RecordLine,
} from "./stealer-record.ts"

const LF = 10
const CR = 13
/**
 * No record is as long: text that goes on this long without a record boundary belongs to no record.
 */
const RECORD_BYTES_MAX = 4 * BLOCK_BYTES

/**
 * The password files of stealers: a few lines a login, each with a key, set apart by drawn or blank
 * lines. A record without a password and without an address or number is nothing: a banner, a site
 * alone, the name of a machine's user.
 */
export const stealerBlocks: FileFormat = {
  name: "stealer-blocks",
  title: "blocks of URL, login and password, as stealers write them",
  hasColumns: false,
  detect: ({ lines }) => ({
    found: { name: "stealer-blocks" },
    fitting: areRecords(lines) ? CERTAIN : 0,
  }),
  blocks: (member, _found, encoding, blockBytes) =>
    recordBlocks(textBytes(member.bytes(), encoding), blockBytes),
  parser: recordParser,
  describe: () => "",
  impliedKind: () => "stealer",
}

/** Whether most lines have a key of a login, and there are logins and passwords among them. */
function areRecords(lines: readonly string[]): boolean {
  const counts = { site: 0, login: 0, password: 0, program: 0, separator: 0, blank: 0, other: 0 }
  for (const [n, line] of lines.entries()) {
    const text = line.length > LINE_LENGTH_MAX ? line.slice(0, LINE_LENGTH_MAX) : line
    const kind = kindOfLine(text)
    // A line with all of a login is no part of a record.
    counts[isKey(kind) && isWholeLogin(text) ? "other" : kind]++
    const { site, login, password, program, other } = counts
    const rest = lines.length - n - 1
    const more = site + login + password + program - other
    // The lines that follow can change nothing any more.
    if (more > rest && login > 0 && password > 0) return true
    if (more + rest <= 0) return false
  }
  return false
}

function isKey(kind: LineKind): boolean {
  return kind !== "other" && kind !== "separator" && kind !== "blank"
}

function isWholeLogin(text: string): boolean {
  if (!SEPARATED.test(text)) return false
  return DELIMITERS.some((delimiter) => delimiter !== " " && isLabelledLogin(text, delimiter))
}

/**
 * A line with a delimiter of labelled lines, but for the space: most lines of a record have none of
 * them.
 */
const SEPARATED = /[;|\t,]/

export function recordParser(): BlockParser {
  return {
    parse(block: Buffer, sink: RowSink): number {
      const bounds = new RecordBounds()
      let record = new LoginRecord()
      const lines = eachLine(block, (line, text) => {
        if (isTooLong(text)) {
          sink.reject(line, "too-long")
          return
        }
        const read = readRecordLine(text)
        if (bounds.endsBefore(read.kind)) {
          record.addTo(sink)
          record = new LoginRecord()
        }
        record.take(line, read)
      })
      record.addTo(sink)
      return lines
    },
  }
}

/**
 * Pieces that end where a record ends. The last one, all of a small file, is not looked through.
 */
export async function* recordBlocks(
  bytes: AsyncIterable<Buffer>,
  blockBytes: number = BLOCK_BYTES,
): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  for await (const lines of lineBlocks(bytes, blockBytes)) {
    const cut = lastRecordStart(held)
    if (cut > 0 || held.length >= RECORD_BYTES_MAX) {
      const [block, open] = cutInTwo(held, cut === 0 ? held.length : cut)
      held = open
      yield block
    }
    held = held.length === 0 ? lines : ownBytes([held, lines])
  }
  if (held.length > 0) yield held
}

/** The start of the record that may continue after the text; the text's length if none is open. */
function lastRecordStart(text: Buffer): number {
  const bounds = new RecordBounds()
  let startLine = 1
  eachLine(text, (line, content) => {
    if (isTooLong(content)) return
    const wasBetween = bounds.between
    const ended = bounds.endsBefore(readRecordLine(content).kind)
    if ((wasBetween || ended) && !bounds.between) startLine = line
  })
  return bounds.between ? text.length : startOfLine(text, startLine)
}

/** The place of a line's first byte. */
function startOfLine(text: Buffer, line: number): number {
  let at = 0
  for (let before = line - 1; before > 0; at++) {
    const isCrOfPair = text[at] === CR && text[at + 1] === LF
    if ((text[at] === LF || text[at] === CR) && !isCrOfPair) before--
  }
  return at
}

/** The fields of one login as they come. */
class LoginRecord {
  #login: string | null = null
  #password: string | null = null
  #line = 0

  take(line: number, { kind, value }: RecordLine): void {
    if (kind === "login") {
      this.#login = value.trim()
      this.#line = line
    } else if (kind === "password") {
      this.#password = value
      if (this.#line === 0) this.#line = line
    }
  }

  addTo(sink: RowSink): void {
    const isNothing = this.#password === null && identityTypeOf(this.#login ?? "") === null
    if (!isNothing) addLogin(this.#line, this.#login ?? "", this.#password, sink)
  }
}
