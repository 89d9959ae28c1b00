import { type InputError, isInputFault } from "../inputs/member.ts"
import {
  type ColumnHints,
  type ColumnMap,
  columnsByName,
  columnsText,
  type Field,
  FIELDS,
  kindOfColumns,
  namesIdentity,
} from "./columns.ts"
import { CERTAIN, type FileFormat, type FoundFormat } from "./format.ts"
import type { BlockParser, RowSink } from "./parsed-row.ts"
import { cellsOf, csvBlocks, CsvRows, linesIn } from "./csv-rows.ts"
import { separation } from "./delimiter.ts"
import { feedRow } from "./feed-row.ts"
import type { Head } from "./head.ts"
import { plainText, rowTextOf } from "./plain-text.ts"
import { ROW_BYTES_MAX } from "./row-bytes.ts"

interface CsvFormat extends FoundFormat {
  readonly delimiter: string
  readonly columns: ColumnMap
  /** How many cells a row has; one of more or fewer is no row. */
  readonly width: number
}

const DELIMITERS = [",", "\t", ";", "|"]
const SAMPLES_MAX = 50
const QUOTE = '"'

/** Rows of cells, with a header or with columns that `--map` names by number. */
export const csv: FileFormat<CsvFormat> = {
  name: "csv",
  title: "table",
  hasColumns: true,
  detect(head) {
    // A file that begins like JSON is a table only if the person names the format.
    if (!head.isNamed && (head.first === "{" || head.first === "[")) return null
    const found = detectCsv(head)
    return found === null ? null : { found, fitting: CERTAIN }
  },
  blocks: (member, { delimiter }, encoding, blockBytes) =>
    csvBlocks(plainText(member.bytes(), encoding), delimiter, blockBytes),
  parser: csvParser,
  describe: ({ delimiter, columns }) => `, ${separation(delimiter)}; ${columnsText(columns)}`,
  impliedKind: ({ columns }) => kindOfColumns(columns),
}

function detectCsv({ table, isWhole, map }: Head): CsvFormat | null {
  let best: CsvFormat | null = null
  let widest = 0
  let unknown: InputError | null = null
  // Without quotes, all delimiters that a text does not have give the same rows.
  const isQuoted = table.includes(QUOTE)
  let wasWhole = false
  for (const delimiter of DELIMITERS) {
    if (!isQuoted && !table.includes(delimiter)) {
      if (wasWhole) continue
      wasWhole = true
    }
    const [first = []] = sampleRows(table, isWhole, delimiter, 1)
    if (!mayNameIdentity(first, map)) continue
    const rows = sampleRows(table, isWhole, delimiter, SAMPLES_MAX)
    const width = rows[0]?.length ?? 0
    if (width <= widest || !agree(rows, width)) continue
    try {
      const columns = csvColumns(rows, map)
      if (columns === null) continue
      best = { name: "csv", delimiter, columns, width }
      widest = width
    } catch (error) {
      // Cut at another delimiter the file may have that column.
      if (!isInputFault(error, "unknown-column")) throw error
      unknown = error
    }
  }
  if (best === null && unknown !== null) throw unknown
  return best
}

function sampleRows(
  head: Buffer,
  isWhole: boolean,
  delimiter: string,
  rowsMax: number,
): string[][] {
  const rows = new CsvRows(head, delimiter)
  const textOf = rowTextOf(head)
  const found: string[][] = []
  for (let at = 0; at < head.length && found.length < rowsMax;) {
    const end = rows.end(at)
    if (end === head.length && !isWhole) break
    const text = textOf(at, end).replace(/\r$/, "")
    if (text !== "") found.push(cellsOf(text, delimiter, rows.quoted))
    at = end + 1
  }
  return found
}

/** Whether most rows are as wide as the first. */
function agree(rows: readonly (readonly string[])[], width: number): boolean {
  return rows.filter((row) => row.length === width).length * 2 > rows.length
}

function csvColumns(rows: readonly (readonly string[])[], hints: ColumnHints): ColumnMap | null {
  const [first = [], ...others] = rows
  if (isData(first)) return numberedColumns(first.length, hints)
  const columns = columnsByName(first, others, hints)
  return namesIdentity(columns) ? columns : null
}

/**
 * Whether rows that begin with this one can be about anyone, whatever the others hold. Most files
 * that are no table are known by that, without a look at their other rows.
 */
function mayNameIdentity(first: readonly string[], hints: ColumnHints): boolean {
  if (Object.keys(hints).length > 0) return true
  const addresses = first.map(() => "@")
  return !isData(first) && namesIdentity(columnsByName(first, [addresses], hints))
}

/** A header has no addresses and no numbers of phones in it; a first row of data has. */
function isData(first: readonly string[]): boolean {
  return first.some((cell) => cell.includes("@") || /^\+?\d{6,}$/.test(cell))
}

/** Without a header only the columns given by number are known. */
function numberedColumns(width: number, hints: ColumnHints): ColumnMap | null {
  const said = Object.entries(hints).filter(([, hint]) => hint !== "")
  const columns: ColumnMap = Object.fromEntries(
    said.map(([field, hint]) => [field, { at: Number(hint) - 1, name: "" }]),
  )
  if (said.some(([, hint]) => !/^\d+$/.test(hint) || Number(hint) < 1 || Number(hint) > width)) {
    return null
  }
  return namesIdentity(columns) ? columns : null
}

/** A row that repeats the header, as the first line of a file does, is no row of data. */
function csvParser({ delimiter, columns, width }: CsvFormat): BlockParser {
  const header = Object.values(columns).filter(({ name }) => name !== "")
  const places = placesOf(columns)
  const isHeader = (cells: readonly string[]): boolean =>
    header.length > 0 && header.every(({ at, name }) => cells[at] === name)

  function parseRow(cells: readonly string[], line: number, sink: RowSink): void {
    if (cells.length !== width) {
      sink.reject(line, cells.length === 1 && cells[0] === "" ? "blank" : "bad-row")
      return
    }
    if (isHeader(cells)) return
    const row = feedRow(fieldsOf(cells, places))
    if (typeof row === "string") sink.reject(line, row)
    else sink.row(line, row)
  }

  return {
    parse(block, sink) {
      const rows = new CsvRows(block, delimiter)
      const textOf = rowTextOf(block)
      let line = 1
      for (let at = 0; at < block.length; line++) {
        const end = rows.end(at)
        if (end - at > ROW_BYTES_MAX) {
          sink.reject(line, "too-long")
        } else {
          const text = textOf(at, end)
          const row = text.endsWith("\r") ? text.slice(0, -1) : text
          parseRow(cellsOf(row, delimiter, rows.quoted), line, sink)
          if (rows.quoted) line += linesIn(text)
        }
        at = end + 1
      }
      return line - 1
    },
  }
}

/** By field the position of its cell, -1 if there is none. */
type Places = Readonly<Record<Field, number>>

function placesOf(columns: ColumnMap): Places {
  return Object.fromEntries(FIELDS.map((field) => [field, columns[field]?.at ?? -1])) as Places
}

/** Always an object of one shape, whatever columns there are. */
function fieldsOf(cells: readonly string[], places: Places) {
  return {
    email: cellAt(cells, places.email),
    phone: cellAt(cells, places.phone),
    password: cellAt(cells, places.password),
    hash: cellAt(cells, places.hash),
    salt: cellAt(cells, places.salt),
    url: cellAt(cells, places.url),
    kind: cellAt(cells, places.kind),
    date: cellAt(cells, places.date),
    item: cellAt(cells, places.item),
    secret: cellAt(cells, places.secret),
    confidence: cellAt(cells, places.confidence),
    classes: cellAt(cells, places.classes),
    value: cellAt(cells, places.value),
  }
}

/** Asking an array for a place it cannot have costs more than all else of a row. */
function cellAt(cells: readonly string[], at: number): string | undefined {
  return at === -1 ? undefined : cells[at]
}
