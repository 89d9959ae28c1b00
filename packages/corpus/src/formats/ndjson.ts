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
import { feedRow } from "./feed-row.ts"
import type { Head } from "./head.ts"
import { plainText, rowTextOf } from "./plain-text.ts"
import { rowBlocks } from "./row-blocks.ts"
import { ROW_BYTES_MAX } from "./row-bytes.ts"

/** A format whose rows are objects, by the names of their members. */
export interface NamedColumns extends FoundFormat {
  readonly columns: ColumnMap
}

const LF = 10
/** Objects need not name all their members, so as many are looked at as a head may hold. */
export const OBJECTS_MAX = 1000
/** How deep members are looked for: data that people hold is not nested deeper. */
const NAME_PARTS_MAX = 8

/** A JSON object a line. */
export const ndjson: FileFormat<NamedColumns> = {
  name: "ndjson",
  title: "lines of JSON",
  hasColumns: true,
  detect(head) {
    const columns = head.first === "{" ? columnsOfObjects(objectsOfLines(head), head.map) : null
    return columns === null ? null : { found: { name: "ndjson", columns }, fitting: CERTAIN }
  },
  blocks: (member, _found, encoding, blockBytes) =>
    rowBlocks(plainText(member.bytes(), encoding), blockBytes, (held) => held.lastIndexOf(LF) + 1),
  parser: ({ columns }) => jsonLineParser(columns),
  describe: describeColumns,
  impliedKind: ({ columns }) => kindOfColumns(columns),
}

export function describeColumns({ columns }: NamedColumns): string {
  return `; ${columnsText(columns)}`
}

/** What lines hold that are objects all by themselves. */
function objectsOfLines({ table, isWhole }: Head): object[] {
  const lines = table.toString().trimStart().split("\n", OBJECTS_MAX)
  // The last line of a look at the start is cut off somewhere.
  if (!isWhole && lines.length < OBJECTS_MAX) lines.pop()
  const objects = lines.flatMap(objectIn)
  // A document over many lines may have one that is an object by chance, but never the first.
  return lines[0] !== undefined && objectIn(lines[0]).length === 1 ? objects : []
}

/** The object in a line, as a list of one; empty if the line is no object. */
export function objectIn(line: string): object[] {
  try {
    const value = JSON.parse(line) as unknown
    return typeof value === "object" && value !== null && !Array.isArray(value) ? [value] : []
  } catch {
    // The parser rejects the line when it comes to it.
    return []
  }
}

/** The meaning of the objects' members; null if none of them identifies anyone. */
export function columnsOfObjects(objects: readonly object[], hints: ColumnHints): ColumnMap | null {
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

/** A parser of lines with a JSON object each. */
export function jsonLineParser(columns: ColumnMap): BlockParser {
  const members = FIELDS.flatMap((field) => {
    const name = columns[field]?.name
    return name === undefined ? [] : [{ field, name }]
  })

  function parseRow(text: string, line: number, sink: RowSink): void {
    if (text === "" || text === "\r") {
      sink.reject(line, "blank")
      return
    }
    const fields = fieldsOf(text, members)
    if (fields === null) {
      sink.reject(line, "bad-row")
      return
    }
    const row = feedRow(fields)
    if (typeof row === "string") sink.reject(line, row)
    else sink.row(line, row)
  }

  return {
    parse(block, sink) {
      const textOf = rowTextOf(block)
      let line = 0
      for (let at = 0; at < block.length;) {
        const lf = block.indexOf(LF, at)
        const end = lf === -1 ? block.length : lf
        line++
        if (end - at > ROW_BYTES_MAX) sink.reject(line, "too-long")
        else parseRow(textOf(at, end), line, sink)
        at = end + 1
      }
      return line
    },
  }
}

type Members = readonly { readonly field: Field; readonly name: string }[]
type Fields = Partial<Record<Field, unknown>>

/** The object's values by field; null if the text is no object. */
function fieldsOf(text: string, members: Members): Fields | null {
  const object = objectOf(text)
  if (object === null) return null
  const fields = fieldsIn(object, members)
  if (!hasNumber(fields, members)) return fields
  // A number is read by its digits as written: 1e3, 0.10 and numbers that a double cannot hold may
  // be passwords.
  const exact = objectOf(text, numberAsWritten)
  return exact === null ? null : fieldsIn(exact, members)
}

function fieldsIn(object: object, members: Members): Fields {
  const fields: Fields = {}
  for (const { field, name } of members) fields[field] = memberOf(object, name)
  return fields
}

function hasNumber(fields: Fields, members: Members): boolean {
  for (const { field } of members) if (typeof fields[field] === "number") return true
  return false
}

function objectOf(text: string, reviver?: Reviver): object | null {
  try {
    const value = JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]) as unknown
    return typeof value === "object" && !Array.isArray(value) ? value : null
  } catch {
    // The caller rejects the row. The error is dropped, because its message quotes the row.
    return null
  }
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown
const numberAsWritten: Reviver = (_key, value, { source }) =>
  typeof value === "number" ? source : value

/** A member by its name, or inside of members by a dotted one. */
function memberOf(object: object, name: string): unknown {
  if (Object.hasOwn(object, name)) return (object as Record<string, unknown>)[name]
  const dot = name.indexOf(".")
  if (dot === -1) return undefined
  const inner = memberOf(object, name.slice(0, dot))
  if (typeof inner !== "object" || inner === null) return undefined
  return memberOf(inner, name.slice(dot + 1))
}
