import { rowBlocks } from "./row-blocks.ts"
import { ROW_BYTES_MAX } from "./row-bytes.ts"

const LF = 10
const CR = 13
const QUOTE = 34

/**
 * Finds where rows of CSV end. A quote opens a cell only at the start of one and closes it only
 * before a delimiter or the end of a line; any other is a character, since passwords are full of
 * them and many files are quoted by programs that do not double them. A cell over several lines
 * must be quoted without a fault: one bad quote must not swallow the rows behind it.
 */
export class CsvRows {
  readonly #bytes: Buffer
  readonly #delimiter: number
  /**
   * The first quote at or after `#quoteFrom`. Rows need it in order, and most files have few or
   * none.
   */
  #quote = -1
  #quoteFrom = 0
  /** Whether the row that was looked at last has a cell in quotes. */
  quoted = false
  /** Whether a quoted cell of that row is not closed within the bounds of a row. */
  unclosed = false
  /** Whether it may still be, by bytes that follow. */
  open = false

  constructor(bytes: Buffer, delimiter: string) {
    this.#bytes = bytes
    this.#delimiter = delimiter.charCodeAt(0)
    this.#quote = this.#find(0)
  }

  /** The place of the LF that ends the row at `at`, or the end of the bytes. */
  end(at: number): number {
    this.quoted = false
    this.unclosed = false
    this.open = false
    for (let from = at; ;) {
      const lineEnd = this.#lineEnd(from)
      const quote = this.#nextQuote(from)
      if (quote >= lineEnd) return lineEnd
      if (quote !== at && this.#bytes[quote - 1] !== this.#delimiter) {
        from = quote + 1
        continue
      }
      const closing = this.#closing(quote + 1, at)
      if (closing === -1) {
        // The quote is a character after all, and so is every other of this line.
        this.quoted = false
        return this.#lineEnd(at)
      }
      this.quoted = true
      from = closing + 1
    }
  }

  /**
   * The quote that closes the cell opened before `from`, or -1 where none does within the bounds of
   * a row.
   */
  #closing(from: number, rowAt: number): number {
    const lineEnd = this.#lineEnd(from)
    let faulty = false
    for (;;) {
      const quote = this.#nextQuote(from)
      if (quote > lineEnd && faulty) return -1
      if (quote - rowAt > ROW_BYTES_MAX) {
        this.unclosed = true
        this.open = quote === Infinity && this.#bytes.length - rowAt <= ROW_BYTES_MAX
        return -1
      }
      const next = this.#bytes[quote + 1]
      if (next === undefined || next === this.#delimiter || next === LF || next === CR) return quote
      if (next !== QUOTE) {
        if (quote > lineEnd) return -1
        faulty = true
      }
      from = quote + (next === QUOTE ? 2 : 1)
    }
  }

  #lineEnd(from: number): number {
    const lf = this.#bytes.indexOf(LF, from)
    return lf === -1 ? this.#bytes.length : lf
  }

  #nextQuote(from: number): number {
    if (from < this.#quoteFrom || from > this.#quote) this.#quote = this.#find(from)
    return this.#quote
  }

  #find(from: number): number {
    this.#quoteFrom = from
    const at = this.#bytes.indexOf(QUOTE, from)
    return at === -1 ? Infinity : at
  }
}

/** The cells of a row, without quotes and with escapes resolved. */
export function cellsOf(row: string, delimiter: string, quoted: boolean): string[] {
  if (!quoted) return row.split(delimiter)
  const cells: string[] = []
  for (let at = 0; ;) {
    const inQuotes = row.charCodeAt(at) === QUOTE
    const end = inQuotes ? closingIn(row, at + 1, delimiter) : row.indexOf(delimiter, at)
    const stop = end === -1 ? row.length : end
    cells.push(inQuotes ? row.slice(at + 1, stop).replaceAll('""', '"') : row.slice(at, stop))
    at = inQuotes ? stop + 1 : stop
    if (at >= row.length) return cells
    at += delimiter.length
  }
}

function closingIn(row: string, from: number, delimiter: string): number {
  for (;;) {
    const quote = row.indexOf('"', from)
    if (quote === -1 || quote + 1 === row.length || row.startsWith(delimiter, quote + 1))
      return quote
    from = quote + (row.charCodeAt(quote + 1) === QUOTE ? 2 : 1)
  }
}

/** Blocks of CSV rows, which may hold lines. */
export function csvBlocks(
  bytes: AsyncIterable<Buffer>,
  delimiter: string,
  blockBytes: number,
): AsyncGenerator<Buffer> {
  return rowBlocks(bytes, blockBytes, (held) => {
    if (!held.includes('"')) return held.lastIndexOf(LF) + 1
    const rows = new CsvRows(held, delimiter)
    for (let at = 0; ;) {
      const end = rows.end(at)
      if (end === held.length || rows.open) return at
      at = end + 1
    }
  })
}

/** A row and the line on which it ends, or why the table cannot be separated into rows there. */
export type CsvRecord =
  | { readonly line: number; readonly cells: string[] }
  | { readonly line: number; readonly fault: "CSV_QUOTE_NOT_CLOSED" | "CSV_MAX_RECORD_SIZE" }

/**
 * The rows of a table as its bytes arrive, without blank lines. Where an import rejects a row and
 * reads on, this ends with the fault: its callers need every row.
 */
export async function* csvRecords(
  bytes: AsyncIterable<Buffer>,
  delimiter: string,
): AsyncGenerator<CsvRecord> {
  let line = 0
  for await (const block of csvBlocks(bytes, delimiter, 1)) {
    const rows = new CsvRows(block, delimiter)
    for (let at = 0; at < block.length;) {
      const end = rows.end(at)
      line++
      if (rows.unclosed || end - at > ROW_BYTES_MAX) {
        yield { line, fault: rows.unclosed ? "CSV_QUOTE_NOT_CLOSED" : "CSV_MAX_RECORD_SIZE" }
        return
      }
      const text = block.toString("utf8", at, end)
      const row = text.endsWith("\r") ? text.slice(0, -1) : text
      if (rows.quoted) line += linesIn(row)
      if (row !== "") yield { line, cells: cellsOf(row, delimiter, rows.quoted) }
      at = end + 1
    }
  }
}

/** How many line ends a row holds. */
export function linesIn(text: string): number {
  let lines = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++
  return lines
}
