import { cellsOf, CsvRows } from "./csv-rows.ts"
import { feedRow } from "./feed-row.ts"
import type { BlockParser, ColumnMap, Format, RowSink } from "./format.ts"
import { isOwnDomainNoise } from "./own-domain.ts"
import { rowTextOf } from "./plain-text.ts"
import { ROW_BYTES_MAX } from "./row-bytes.ts"

type Csv = Extract<Format, { name: "csv" }>

/** Rows of cells. The first line of a file is a row like any other that repeats its header, and no row of data. */
export function csvParser({ delimiter, columns, width }: Csv): BlockParser {
  const header = Object.values(columns).filter(({ name }) => name !== "")
  const isHeader = (cells: readonly string[]): boolean =>
    header.length > 0 && header.every(({ at, name }) => cells[at] === name)

  function parseRow(cells: readonly string[], line: number, sink: RowSink): void {
    if (cells.length !== width) {
      sink.reject(line, cells.length === 1 && cells[0] === "" ? "blank" : "bad-row")
      return
    }
    if (isHeader(cells)) return
    const row = feedRow(fieldsOf(cells, columns))
    if (typeof row === "string") sink.reject(line, row)
    else if (isOwnDomainNoise(row, cells[columns.url?.at ?? -1])) {
      sink.reject(line, "own-domain-noise")
    } else sink.row(line, row)
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

/** Always of one shape, whatever columns there are. */
function fieldsOf(cells: readonly string[], columns: ColumnMap) {
  return {
    email: cells[columns.email?.at ?? -1],
    phone: cells[columns.phone?.at ?? -1],
    password: cells[columns.password?.at ?? -1],
    hash: cells[columns.hash?.at ?? -1],
    salt: cells[columns.salt?.at ?? -1],
    kind: cells[columns.kind?.at ?? -1],
    date: cells[columns.date?.at ?? -1],
    item: cells[columns.item?.at ?? -1],
    secret: cells[columns.secret?.at ?? -1],
    confidence: cells[columns.confidence?.at ?? -1],
    classes: cells[columns.classes?.at ?? -1],
    value: cells[columns.value?.at ?? -1],
  }
}

function linesIn(text: string): number {
  let lines = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++
  return lines
}
