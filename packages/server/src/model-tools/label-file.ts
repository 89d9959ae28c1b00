import { createReadStream } from "node:fs"
import { extname } from "node:path"
import { createInterface } from "node:readline"
import { csvRecords } from "@assay/corpus/formats/csv-rows"
import { plainText } from "@assay/corpus/formats/plain-text"
import { Explained } from "@assay/runtime/explained"

/**
 * What a row gives of the answer at that time: its probability, its input, or the decision that
 * keeps it.
 */
export type LabelAnswer =
  | { readonly p: number; readonly floor: number | null }
  | { readonly input: object }
  | { readonly decisionId: string }

/** What became of one identity that was scored. */
export interface LabelRow {
  readonly line: number
  readonly bad: boolean
  /** null where the row does not say when. */
  readonly atMs: number | null
  readonly answer: LabelAnswer
}

type Columns = Readonly<Record<string, unknown>>

/** Feedback speaks of what happened; a calibration only asks whether it was bad. */
const OUTCOMES: ReadonlyMap<unknown, boolean> = new Map([
  ["bad", true],
  ["good", false],
  ["takeover_confirmed", true],
  ["fraud_confirmed", true],
  ["not_fraud", false],
])

/**
 * Reads labels from CSV with a header, or from one JSON object a line, in the order of the file.
 */
export async function readLabelFile(file: string): Promise<LabelRow[]> {
  const records = recordsOf(file)
  const rows: LabelRow[] = []
  try {
    for await (const { line, columns } of records) rows.push(rowOf(line, columns))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (error instanceof Explained || code === undefined) throw error
    throw new Explained("label-file", `The file of labels cannot be read (${code})`, {
      cause: error,
    })
  }
  return rows
}

interface FileRecord {
  readonly line: number
  readonly columns: Columns
}

function recordsOf(file: string): AsyncIterable<FileRecord> {
  switch (extname(file)) {
    case ".csv":
      return tableRecords(file)
    case ".ndjson":
    case ".jsonl":
      return jsonRecords(file)
    default:
      throw new Explained("label-file", "A file of labels ends in .csv, .ndjson or .jsonl")
  }
}

async function* tableRecords(file: string): AsyncGenerator<FileRecord> {
  let names: readonly string[] | null = null
  for await (const row of csvRecords(plainText(createReadStream(file), "utf-8"), ",")) {
    const { line } = row
    if ("fault" in row) throw fault(line, UNREADABLE)
    const values = row.cells.map(trimmed)
    if (values.length === 1 && values[0] === "") continue
    if (names === null) names = values
    else if (values.length !== names.length) throw fault(line, UNREADABLE)
    else yield { line, columns: Object.fromEntries(names.map((name, n) => [name, values[n]])) }
  }
}

const UNREADABLE = "cannot be read as CSV"

/** Without the spaces around it, and without the quotes that stand behind a space. */
function trimmed(cell: string): string {
  const text = cell.trim()
  return /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text
}

async function* jsonRecords(file: string): AsyncGenerator<FileRecord> {
  const source = createReadStream(file, "utf8")
  let line = 0
  try {
    for await (const text of createInterface({ input: source, crlfDelay: Infinity })) {
      line++
      if (text.trim() !== "") yield { line, columns: parsed(line, text) }
    }
  } finally {
    source.destroy()
  }
}

function parsed(line: number, text: string): Columns {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's message quotes the text, so it is not handed on as a cause either.
    throw fault(line, "is not JSON")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw fault(line, "is not a JSON object")
  return value as Columns
}

function rowOf(line: number, columns: Columns): LabelRow {
  const bad = OUTCOMES.get(columns["outcome"])
  if (bad === undefined) throw fault(line, `outcome takes ${[...OUTCOMES.keys()].join(", ")}`)
  return { line, bad, atMs: timeOf(line, columns), answer: answerOf(line, columns) }
}

function answerOf(line: number, { p, floor, input, decision_id: id }: Columns): LabelAnswer {
  const given = [p, input, id].filter(isGiven).length
  if (given !== 1) throw fault(line, "takes exactly one of p, input and decision_id")
  if (isGiven(id)) {
    if (typeof id !== "string") throw fault(line, "decision_id takes a text")
    return { decisionId: id }
  }
  if (isGiven(input)) {
    if (typeof input !== "object" || input === null || Array.isArray(input))
      throw fault(line, "input takes an object, as an explanation holds it")
    return { input }
  }
  const probability = numberOf(p)
  if (!(probability > 0 && probability < 1)) throw fault(line, "p takes a number between 0 and 1")
  const points = isGiven(floor) ? numberOf(floor) : null
  if (points !== null && !(points >= 0 && points <= 100))
    throw fault(line, "floor takes points from 0 to 100")
  return { p: probability, floor: points }
}

function timeOf(line: number, { at, input }: Columns): number | null {
  const text = isGiven(at) ? at : (input as { as_of?: unknown } | undefined)?.as_of
  if (!isGiven(text)) return null
  const ms = typeof text === "string" && /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN
  if (Number.isNaN(ms)) throw fault(line, "the time takes a date, or a date and time, in ISO 8601")
  return ms
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ""
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : typeof value === "string" ? Number(value) : NaN
}

function fault(line: number, what: string): Explained {
  return new Explained("label-file", `Line ${line}: ${what}`)
}
