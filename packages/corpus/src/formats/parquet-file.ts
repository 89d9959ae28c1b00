import { type DuckDBConnection, type DuckDBDataChunk, DuckDBInstance } from "@duckdb/node-api"
import { InputError, isInputFault, type Member } from "../inputs/member.ts"
import { sqlText } from "../segments/segment.ts"
import {
  type ColumnHints,
  type ColumnMap,
  columnsByName,
  type Field,
  FIELDS,
  namesIdentity,
} from "./columns.ts"

/** By column its type, in the engine's words. */
type Types = ReadonlyMap<string, string>

interface OpenFile {
  readonly connection: DuckDBConnection
  /** The SQL expression for the file after FROM. */
  readonly file: string
  readonly close: () => void
}

const SAMPLES_MAX = 50

/** Blocks of JSON lines with the values of the file's columns. Throws InputError. */
export async function* parquetBlocks(
  member: Member,
  asked: ColumnMap,
  blockBytes: number,
): AsyncGenerator<Buffer> {
  const opened = await openFile(member)
  try {
    yield* linesOf(member, asked, opened, blockBytes)
  } catch (error) {
    throw inputError(member, error)
  } finally {
    opened.close()
  }
}

async function* linesOf(
  member: Member,
  asked: ColumnMap,
  opened: OpenFile,
  blockBytes: number,
): AsyncGenerator<Buffer> {
  const { columns, types } = await readColumns(member, asked, opened)
  const { connection, file } = opened
  const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${file}`)
  const rowsTotal = Number(counted.getRows()[0]?.[0] ?? 0)
  const fields = FIELDS.filter((field) => columns[field] !== undefined)
  const wanted = fields.map((field) => textOfColumn(columns[field]?.name ?? "", types))
  const result = await connection.stream(`SELECT ${wanted.join(", ")} FROM ${file}`)
  let lines: string[] = []
  let length = 0
  let rows = 0
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) break
    rows += chunk.rowCount
    for (const line of linesOfChunk(chunk, fields)) {
      lines.push(line)
      length += line.length + 1
    }
    if (length < blockBytes) continue
    yield blockOf(lines)
    member.countRead(rows / rowsTotal)
    lines = []
    length = 0
  }
  if (lines.length > 0) yield blockOf(lines)
  member.countRead(1)
}

async function readColumns(
  member: Member,
  asked: ColumnMap,
  { connection, file }: OpenFile,
): Promise<{ columns: ColumnMap; types: Types }> {
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${file}`)
  const types: Types = new Map(described.getRows() as [string, string][])
  const names = [...types].flatMap(([name, type]) => [name, ...partsOf(name, type)])
  const hints: ColumnHints = Object.fromEntries(
    Object.entries(asked).map(([field, { name }]) => [field, name]),
  )
  const wanted = names.map((name) => textOfColumn(name, types))
  const sampled = await connection.runAndReadAll(
    `SELECT ${wanted.join(", ")} FROM ${file} LIMIT ${SAMPLES_MAX}`,
  )
  const columns = columnsByName(names, sampled.getRows(), hints)
  if (!namesIdentity(columns)) {
    throw new InputError(`${member.name} has no column of e-mail addresses or phone numbers`)
  }
  return { columns, types }
}

/** The members of a column that is a structure, by dotted names. */
function partsOf(name: string, type: string): string[] {
  let members = /^STRUCT\((.*)\)$/.exec(type)?.[1]
  if (members === undefined) return []
  // Text in brackets belongs to the type of a member: 'city VARCHAR, place STRUCT(x DOUBLE, y
  // DOUBLE)'.
  for (let before = ""; members !== before;) {
    before = members
    members = members.replace(/\([^()]*\)/g, "")
  }
  return members.split(", ").flatMap((member) => {
    const part = /^([a-z_]\w*) /i.exec(member)?.[1]
    return part === undefined ? [] : [`${name}.${part}`]
  })
}

/**
 * A column as text. Dates, numbers beyond a double and bytes are written exactly; lists become
 * words.
 */
function textOfColumn(name: string, types: Types): string {
  const type = types.get(name)
  const column = type === undefined ? name.split(".").map(quoted).join(".") : quoted(name)
  if (type?.endsWith("[]") === true) return `array_to_string(${column}, ',')`
  return type === "BLOB" ? `try(decode(${column}))` : `CAST(${column} AS VARCHAR)`
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function* linesOfChunk(chunk: DuckDBDataChunk, fields: readonly Field[]): Generator<string> {
  const columns = fields.map((_, at) => chunk.getColumnValues(at) as (string | null)[])
  for (let row = 0; row < chunk.rowCount; row++) {
    const object: Partial<Record<Field, string | null>> = {}
    for (const [at, field] of fields.entries()) object[field] = columns[at]?.[row] ?? null
    yield JSON.stringify(object)
  }
}

function blockOf(lines: readonly string[]): Buffer {
  const text = `${lines.join("\n")}\n`
  const block = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  block.write(text)
  return block
}

/**
 * A database that holds nothing, loads nothing and never spills to disk, since it reads plain text.
 */
async function openFile(member: Member): Promise<OpenFile> {
  if (member.path === null) {
    throw new InputError(`${member.name} is a Parquet file inside an archive: unpack it first`)
  }
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "1",
    memory_limit: "512MB",
    temp_directory: "",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  })
  const connection = await instance.connect()
  // A path is a pattern here, and a name may look like one.
  const path = member.path.replace(/[*?[]/g, "[$&]")
  return {
    connection,
    file: `read_parquet(${sqlText(path)})`,
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** The engine's messages quote what it read, so none is passed on, not even as a cause. */
function inputError(member: Member, error: unknown): Error {
  if (isInputFault(error, "unknown-column"))
    return new InputError(`${member.name}: ${error.message}`)
  if (error instanceof InputError) return error
  return new InputError(`${member.name} is a damaged Parquet file, or one that cannot be read here`)
}
