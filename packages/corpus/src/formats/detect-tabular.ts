import { type ColumnHints, columnsByName, namesIdentity, UnknownColumn } from "./columns.ts"
import { InputError } from "../inputs/input-error.ts"
import { cellsOf, CsvRows } from "./csv-rows.ts"
import { type FormatHints, HEAD_BYTES_MAX } from "./detected.ts"
import type { ColumnMap, Format } from "./format.ts"
import { JsonElements, NotJson } from "./json-elements.ts"
import { memberOf } from "./ndjson.ts"
import { plainHead, rowTextOf } from "./plain-text.ts"

const DELIMITERS = [",", "\t", ";", "|"]
const TABULAR: ReadonlySet<string> = new Set(["csv", "ndjson", "json", "parquet"])
const SAMPLES_MAX = 50
/** Objects need not name all their members, so as many are looked at as a head may hold. */
const OBJECTS_MAX = 1000
/** Members of members of members: deeper ones are nobody's columns. */
const NAME_PARTS_MAX = 8

/**
 * CSV, JSON, lines of JSON or Parquet, with what their columns mean; null for anything else, and
 * where nothing in them can be an identity. Throws InputError where `--map` names a column that the
 * file does not have.
 */
export function detectTabular(name: string, head: Buffer, hints: FormatHints): Format | null {
  const { format, map } = hints
  if (format !== undefined && !TABULAR.has(format)) return null
  try {
    if (head.toString("latin1", 0, 4) === "PAR1") {
      return { name: "parquet", columns: askedColumns(map) }
    }
    if (format === "parquet") return null
    const whole = head.length < HEAD_BYTES_MAX
    const text = plainHead(head)
    const first = text.toString("latin1").trimStart()[0]
    if (format !== "csv" && (first === "{" || first === "[")) return detectJson(text, whole, hints)
    return format === "json" || format === "ndjson" ? null : detectCsv(text, whole, map)
  } catch (error) {
    if (error instanceof UnknownColumn) throw new InputError(`${name}: ${error.message}`)
    throw error
  }
}

/** `--map` as a format carries it until the file's own columns are known. */
function askedColumns(hints: ColumnHints): ColumnMap {
  return Object.fromEntries(Object.entries(hints).map(([field, name]) => [field, { at: -1, name }]))
}

function detectJson(head: Buffer, whole: boolean, { format, map }: FormatHints): Format | null {
  const array = head.toString("latin1").trimStart().startsWith("[")
  if (format !== "json" && !array) {
    const columns = columnsOfObjects(objectsOfLines(head, whole), map)
    if (columns !== null) return { name: "ndjson", columns }
  }
  if (format === "ndjson") return null
  const columns = columnsOfObjects(objectsOfDocument(head), map)
  return columns === null ? null : { name: "json", columns }
}

/** What lines hold that are objects all by themselves. */
function objectsOfLines(head: Buffer, whole: boolean): object[] {
  const lines = head.toString().trimStart().split("\n", OBJECTS_MAX)
  // The last line of a look at the start is cut off somewhere.
  if (!whole && lines.length < OBJECTS_MAX) lines.pop()
  const objects = lines.flatMap(objectIn)
  // A document over many lines may have one that is an object by chance, but never the first.
  return lines[0] !== undefined && objectIn(lines[0]).length === 1 ? objects : []
}

function objectsOfDocument(head: Buffer): object[] {
  const elements = new JsonElements(Infinity)
  try {
    elements.push(head)
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    return []
  }
  const lines = elements.take()?.toString().split("\n", OBJECTS_MAX) ?? []
  return lines.flatMap(objectIn)
}

function objectIn(line: string): object[] {
  try {
    const value = JSON.parse(line) as unknown
    return typeof value === "object" && value !== null && !Array.isArray(value) ? [value] : []
  } catch {
    // No sample; the parser will count it when it comes to it.
    return []
  }
}

function columnsOfObjects(objects: readonly object[], hints: ColumnHints): ColumnMap | null {
  if (objects.length === 0) return null
  const names = [...new Set(objects.flatMap((object) => namesIn(object, [])))]
  const samples = objects.map((object) => names.map((name) => memberOf(object, name)))
  const columns = columnsByName(names, samples, hints)
  return namesIdentity(columns) ? columns : null
}

/** Names of members, those inside of others dotted, the outer ones first. */
function namesIn(object: object, outer: readonly string[]): string[] {
  const names: string[] = []
  const inner: string[] = []
  for (const [name, value] of Object.entries(object)) {
    const parts = [...outer, name]
    const nested = typeof value === "object" && value !== null && !Array.isArray(value)
    if (!nested) names.push(parts.join("."))
    else if (parts.length < NAME_PARTS_MAX) inner.push(...namesIn(value as object, parts))
  }
  return [...names, ...inner]
}

function detectCsv(head: Buffer, whole: boolean, hints: ColumnHints): Format | null {
  let best: Format | null = null
  let widest = 0
  let unknown: UnknownColumn | null = null
  for (const delimiter of DELIMITERS) {
    const rows = sampleRows(head, whole, delimiter)
    const width = rows[0]?.length ?? 0
    if (width <= widest || !agree(rows, width)) continue
    try {
      const columns = csvColumns(rows, hints)
      if (columns === null) continue
      best = { name: "csv", delimiter, columns, width }
      widest = width
    } catch (error) {
      // Cut at another delimiter the file may have that column.
      if (!(error instanceof UnknownColumn)) throw error
      unknown = error
    }
  }
  if (best === null && unknown !== null) throw unknown
  return best
}

function sampleRows(head: Buffer, whole: boolean, delimiter: string): string[][] {
  const rows = new CsvRows(head, delimiter)
  const textOf = rowTextOf(head)
  const found: string[][] = []
  for (let at = 0; at < head.length && found.length < SAMPLES_MAX;) {
    const end = rows.end(at)
    if (end === head.length && !whole) break
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
  // A header has no addresses and no numbers of phones in it; a first row of data has.
  if (first.some((cell) => cell.includes("@") || /^\+?\d{6,}$/.test(cell))) {
    return numberedColumns(first.length, hints)
  }
  const columns = columnsByName(first, others, hints)
  return namesIdentity(columns) ? columns : null
}

/** Without a header only what was said by number is known. */
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
