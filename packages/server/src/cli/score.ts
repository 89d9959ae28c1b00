import { createReadStream, fstatSync, openSync, readFileSync } from "node:fs"
import { AssayProblem, AssayUnavailable, type Client, createClient } from "@assay/client"
import type { Readable, Writable } from "node:stream"
import type { IdentityType } from "@assay/core/identity"
import { readCsv } from "./score-csv-rows.ts"
import { readNdjson } from "./score-ndjson-rows.ts"
import { fileOutput, type Output, refuseExisting, streamOutput } from "./score-output.ts"
import { type ProgressScreen, showProgress } from "./progress.ts"
import type { Outcome, Row, Rows } from "./score-row.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface ScoreFileOptions {
  readonly in: string
  readonly out: string
  readonly format?: string
  readonly column?: string
  readonly phone?: boolean
  readonly url: string
  readonly keyFile?: string
  readonly force?: boolean
}

/** The process's own streams; main.ts hands them in. */
export interface ProcessStreams {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: ProgressScreen
}

/** How the rows of a run ended. */
interface Tally {
  rows: number
  scored: number
  readonly refused: Map<string, number>
}

/** Scores every row of a file through a running service and writes the rows with what came back. */
export async function scoreFile(
  options: ScoreFileOptions,
  terminal: Terminal,
  { stdin, stdout, stderr }: ProcessStreams,
): Promise<void> {
  const identityType: IdentityType = options.phone === true ? "phone" : "email"
  const format = formatOf(options)
  refuseExisting(options.out, options.force === true)
  const client = clientOf(options, terminal)
  const { pieces, bytesTotal } = inputOf(options.in, stdin)
  const read = { bytes: 0 }
  const counted = countingBytes(pieces, read)
  const { head, rows } =
    format === "csv"
      ? await readCsv(counted, identityType, options.column)
      : readNdjson(counted, identityType, options.column)
  const output = options.out === "-" ? streamOutput(stdout) : await fileOutput(options.out)

  const tally: Tally = { rows: 0, scored: 0, refused: new Map() }
  const startedAt = terminal.now()
  const hideProgress = showProgress(stderr, () => ({
    rows: tally.rows,
    bytesRead: read.bytes,
    bytesTotal,
    elapsedMs: terminal.now() - startedAt,
  }))
  try {
    await output.write(head)
    await scoreRows(client, identityType, rows, output, tally)
  } catch (error) {
    hideProgress()
    const partial = await output.abandon(tally.rows > 0)
    throw broken(error, tally, partial)
  }
  hideProgress()
  await output.commit()
  for (const line of summary(tally)) terminal.note(line)
  if (tally.scored === 0)
    throw new CommandError(
      tally.rows === 0 ? "There is no row in the input" : "No row could be scored",
    )
}

/** Answers come in the order of the rows, so a row waits in a queue until its own is there. */
async function scoreRows(
  client: Client,
  identityType: IdentityType,
  rows: Rows["rows"],
  output: Output,
  tally: Tally,
): Promise<void> {
  const waiting: Row[] = []
  const write = async (row: Row, outcome: Outcome): Promise<void> => {
    tally.rows++
    const { problem } = outcome
    if (problem === null) tally.scored++
    else tally.refused.set(problem, (tally.refused.get(problem) ?? 0) + 1)
    await output.write(row.outputLine(outcome))
  }
  async function* identities(): AsyncGenerator<string> {
    for await (const row of rows) {
      if (row.identity !== null) {
        waiting.push(row)
        yield row.identity
      } else if (waiting.length > 0) waiting.push(row)
      else await write(row, unreadable(row))
    }
  }
  /** Rows that could not be read have no answer to wait for: they follow the row before them. */
  const writeUnreadable = async (): Promise<void> => {
    for (let row = waiting[0]; row?.identity === null; row = waiting[0]) {
      waiting.shift()
      await write(row, unreadable(row))
    }
  }
  const answers =
    identityType === "email"
      ? client.scoreEmailStream(identities())
      : client.scorePhoneStream(identities())
  for await (const { result, problem } of answers) {
    const row = waiting.shift()
    if (row === undefined) throw new Error("An answer came for no row")
    await write(
      row,
      problem === undefined
        ? { result: { ...result }, problem: null }
        : { result: null, problem: problem.code },
    )
    await writeUnreadable()
  }
}

function unreadable({ problem }: Row): Outcome {
  return { result: null, problem: problem ?? "invalid-request" }
}

/** The message when a run breaks off: why, and how far it came. */
function broken(error: unknown, { rows, scored }: Tally, partial: string | null): unknown {
  const explained =
    error instanceof AssayProblem ||
    error instanceof AssayUnavailable ||
    error instanceof CommandError
  if (!explained) return error
  const far = `${rows} ${rows === 1 ? "row" : "rows"} done, ${scored} of them scored`
  const where = partial === null ? "" : `; they are in ${partial}`
  return new CommandError(`${error.message}: ${far}${where}`, { cause: error })
}

function summary({ rows, scored, refused }: Tally): string[] {
  const others = [...refused].sort(([, a], [, b]) => b - a)
  return [
    `${rows} ${rows === 1 ? "row" : "rows"}, ${scored} scored, ${rows - scored} not`,
    ...others.map(([code, count]) => `  ${code}: ${count}`),
  ]
}

const FORMATS = { ".csv": "csv", ".tsv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson" } as const

function formatOf({ format, in: path }: ScoreFileOptions): "csv" | "ndjson" {
  if (format === "csv" || format === "ndjson") return format
  if (format !== undefined) throw new CommandError("--format takes csv or ndjson")
  const known = Object.entries(FORMATS).find(([ending]) => path.toLowerCase().endsWith(ending))
  if (known === undefined)
    throw new CommandError("The name of the input does not tell its format; --format says it")
  return known[1]
}

function clientOf({ url, keyFile }: ScoreFileOptions, { env }: Terminal): Client {
  const apiKey = keyFile === undefined ? env["ASSAY_API_KEY"] : keyIn(keyFile)
  if (apiKey === undefined || apiKey === "")
    throw new CommandError(
      "An API key is needed: in the file --key-file names, or in ASSAY_API_KEY",
    )
  try {
    return createClient({ baseUrl: url, apiKey })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const message = error.message.replace(/^baseUrl/, "--url").replace(/^apiKey/, "The API key")
    throw new CommandError(message, { cause: error })
  }
}

function keyIn(file: string): string {
  try {
    return readFileSync(file, "utf8").trim()
  } catch (error) {
    throw new CommandError("--key-file names a file that cannot be read", { cause: error })
  }
}

function inputOf(
  path: string,
  stdin: Readable,
): { pieces: AsyncIterable<Buffer>; bytesTotal: number | null } {
  if (path === "-") return { pieces: stdin, bytesTotal: null }
  try {
    const fd = openSync(path, "r")
    const stats = fstatSync(fd)
    if (stats.isDirectory()) throw new CommandError("--in names a directory")
    return {
      pieces: createReadStream(path, { fd }),
      bytesTotal: stats.isFile() ? stats.size : null,
    }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError("--in names a file that cannot be read", { cause: error })
  }
}

async function* countingBytes(
  pieces: AsyncIterable<Buffer>,
  read: { bytes: number },
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    read.bytes += piece.length
    yield piece
  }
}
