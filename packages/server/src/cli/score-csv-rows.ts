import { stringify } from "csv-stringify/sync"
import { type CsvRecord, csvRecords } from "@assay/corpus/formats/csv-rows"
import { converterOf } from "@assay/corpus/formats/plain-text"
import type { IdentityType } from "@assay/core/identity"
import { CommandError } from "./terminal.ts"
import type { Outcome, Row, Rows } from "./score-row.ts"

const DELIMITERS = [",", ";", "\t", "|"] as const
/** As much as is looked at to find the delimiter, and more than any line of people's data. */
const FIRST_LINE_MAX = 64 * 1024

/** What columns with identities are called, once letters are all that is left of the name. */
const USUAL_NAMES = {
  email: /^(e?mail|e?mailaddress|useremail|contactemail|customeremail|login|username)$/,
  phone:
    /^(phone|phonenumber|mobile|mobilenumber|mobilephone|cell|cellphone|tel|telephone|msisdn)$/,
} as const
const IDENTITY = { email: /^[^\s@]+@[^\s@]+$/, phone: /^\+\d{7,15}$/ } as const

/**
 * Reads CSV with any of the usual delimiters, with or without a line of names. Throws before
 * anything is written where no column holds identities. Messages name lines and never what is in
 * them.
 */
export async function readCsv(
  input: AsyncIterable<Buffer>,
  identityType: IdentityType,
  column: string | undefined,
): Promise<Rows> {
  const pieces = input[Symbol.asyncIterator]()
  const head = await firstLine(pieces)
  const delimiter = delimiterOf(head.toString("utf8"))
  const records = csvRecords(continued(head, pieces), delimiter)
  const first = await nextRecord(records)
  if (first === null) throw new CommandError("There is no row in the input")
  const { at, named } = columnOf(first, identityType, column)
  const text = (cells: readonly string[]): string =>
    stringify([cells.map(harmless)], { delimiter, record_delimiter: "\n" })

  async function* rows(): AsyncGenerator<Row> {
    const width = first?.length ?? 0
    for (
      let record = named ? await nextRecord(records) : first;
      record !== null;
      record = await nextRecord(records)
    ) {
      const cells = record
      // Short rows are filled up, so that what is added stands under its name.
      const filled = [...cells, ...Array<string>(Math.max(0, width - cells.length)).fill("")]
      const identity = cells[at] ?? ""
      // Bytes that are no UTF-8 were replaced in reading: what is left is not the identity that was
      // meant.
      const isWhole = !identity.includes("\ufffd")
      yield {
        identity: isWhole ? identity : null,
        problem: isWhole ? null : identityType === "email" ? "not-an-email" : "not-a-phone-number",
        outputLine: (outcome) => text([...filled, ...addedCells(identityType, outcome)]),
      }
    }
  }
  return {
    head: named ? text([...first, ...addedNames(identityType, first)]) : "",
    rows: rows(),
  }
}

async function nextRecord(records: AsyncIterator<CsvRecord>): Promise<string[] | null> {
  const next = await records.next()
  if (next.done === true) return null
  const record = next.value
  if ("fault" in record)
    throw new CommandError(`The CSV cannot be read past line ${record.line} (${record.fault})`)
  return record.cells
}

interface Column {
  readonly at: number
  /** Whether the first record holds names. */
  readonly named: boolean
}

function columnOf(
  first: readonly string[],
  identityType: IdentityType,
  wanted: string | undefined,
): Column {
  const named = !first.some((cell) => IDENTITY[identityType].test(cell.trim()))
  if (wanted !== undefined) {
    const at = /^\d+$/.test(wanted)
      ? Number(wanted) - 1
      : first.findIndex((cell) => sameName(cell, wanted))
    if (at < 0 || at >= first.length)
      throw new CommandError("--column names no column of the input")
    return { at, named }
  }
  const at = named
    ? first.findIndex((cell) => USUAL_NAMES[identityType].test(lettersOf(cell)))
    : first.findIndex((cell) => IDENTITY[identityType].test(cell.trim()))
  if (at === -1)
    throw new CommandError(
      `No column of the input is called ${identityType === "email" ? "email" : "phone_number"}; --column says which one it is, by name or number`,
    )
  return { at, named }
}

function sameName(cell: string, name: string): boolean {
  return cell.trim().toLowerCase() === name.trim().toLowerCase()
}

function lettersOf(cell: string): string {
  return cell.toLowerCase().replace(/[^a-z]/g, "")
}

/**
 * A spreadsheet runs a cell that begins like a formula, and a cell may hold what a stranger typed.
 * A leading quote makes it text. Plain numbers, phone numbers among them, are no formula and stay
 * as they are.
 */
function harmless(cell: string): string {
  return /^[=+\-@\t\r]/.test(cell) && !/^[+-]?\d+(\.\d+)?$/.test(cell) ? `'${cell}` : cell
}

/** The delimiter there is most of in the first line, outside of quotes. */
function delimiterOf(line: string): string {
  const bare = line.replace(/"[^"]*"/g, "")
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length - 1)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ","
}

async function firstLine(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  let line: Buffer = Buffer.alloc(0)
  while (line.length < FIRST_LINE_MAX && !line.includes("\n")) {
    const next = await pieces.next()
    if (next.done === true) break
    line = Buffer.concat([line, next.value])
  }
  return line
}

async function* continued(head: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  const plain = converterOf(head, "utf-8")
  yield plain(head)
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next())
    yield plain(next.value)
}

/** The members of a result that become columns, in this order; `problem` follows them. */
const RESULT_COLUMNS = {
  email: [
    "risk_score",
    "confidence",
    "threat_stage",
    "exposed",
    "exposure_count",
    "last_seen",
    "recommended_action",
    "risk_reasons",
  ],
  phone: [
    "risk_score",
    "risk_level",
    "sim_swap_risk",
    "sim_change_detected",
    "sim_change_window",
    "ownership_confidence",
    "network_continuity",
    "number_type",
    "carrier_region",
    "recommendation",
    "risk_reasons",
  ],
} as const

/** Names of the added columns; all with a prefix where the input has one of them already. */
function addedNames(identityType: IdentityType, taken: readonly string[]): string[] {
  const names = [...RESULT_COLUMNS[identityType], "problem"]
  return names.some((name) => taken.includes(name)) ? names.map((name) => `assay_${name}`) : names
}

/** The cells of the added columns. What is not known, and what there is no result for, is empty. */
function addedCells(identityType: IdentityType, { result, problem }: Outcome): string[] {
  const cells = RESULT_COLUMNS[identityType].map((name) => cellOf(result?.[name]))
  return [...cells, problem ?? ""]
}

function cellOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join("; ")
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : ""
}
