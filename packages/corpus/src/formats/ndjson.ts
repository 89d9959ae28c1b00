import { feedRow } from "./feed-row.ts"
import { type BlockParser, type ColumnMap, type Field, FIELDS, type RowSink } from "./format.ts"
import { rowTextOf } from "./plain-text.ts"
import { ROW_BYTES_MAX } from "./row-bytes.ts"

const LF = 10

/** A JSON object a line. */
export function ndjsonParser(columns: ColumnMap): BlockParser {
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

/** What the object says by field; null where the text is no object. */
function fieldsOf(text: string, members: Members): Fields | null {
  const object = objectOf(text)
  if (object === null) return null
  const fields = fieldsIn(object, members)
  if (!hasNumber(fields, members)) return fields
  // A number is what its digits say: 1e3, 0.10 and what a double cannot hold are passwords like any
  // other.
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
    // The row is counted as bad by the caller; what the parser says of it quotes it.
    return null
  }
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown
const numberAsWritten: Reviver = (_key, value, { source }) =>
  typeof value === "number" ? source : value

/** A member by its name, or inside of members by a dotted one. */
export function memberOf(object: object, name: string): unknown {
  if (Object.hasOwn(object, name)) return (object as Record<string, unknown>)[name]
  const dot = name.indexOf(".")
  if (dot === -1) return undefined
  const inner = memberOf(object, name.slice(0, dot))
  if (typeof inner !== "object" || inner === null) return undefined
  return memberOf(inner, name.slice(dot + 1))
}
