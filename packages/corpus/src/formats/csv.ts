import { cellsOf, CsvRows } from "./csv-rows.ts"
import { feedRow } from "./feed-row.ts"
import {
  type BlockParser,
  type ColumnMap,
  type Field,
  FIELDS,
  type Format,
  type RowSink,
} from "./format.ts"
import { rowTextOf } from "./plain-text.ts"
import { ROW_BYTES_MAX } from "./row-bytes.ts"

type Csv = Extract<Format, { name: "csv" }>

/**
 * Rows of cells. The first line of a file is a row like any other that repeats its header, and no
 * row of data.
 */
export function csvParser({ delimiter, columns, width }: Csv): BlockParser {
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

/** By field the place of its cell, -1 where there is none. */
type Places = Readonly<Record<Field, number>>

function placesOf(columns: ColumnMap): Places {
  return Object.fromEntries(FIELDS.map((field) => [field, columns[field]?.at ?? -1])) as Places
}

/** Always of one shape, whatever columns there are. */
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

function linesIn(text: string): number {
  let lines = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++
  return lines
}
