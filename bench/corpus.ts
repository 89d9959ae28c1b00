import {
  chmodSync,
  createReadStream,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { openSecrets, sha256 } from "../packages/runtime/src/secrets.ts"
import type { ExposureIndex } from "../packages/stores/src/exposure-index.ts"
import { openLmdbIndex } from "../packages/stores/src/lmdb/exposure-index.ts"
import { markdownTable } from "../scripts/table.ts"
import { type Bench, BenchError } from "./bench.ts"
import { startProgram } from "./child-program.ts"
import { keyedSqlite } from "./corpus/keyed-sqlite.ts"
import { keyAt, largeIndex } from "./corpus/large-index.ts"
import { plainPostgres, plainSqlite } from "./corpus/plain-stores.ts"
import { type MeasuredRun, runMeasured } from "./corpus/run-measured.ts"
import { shuffled, writeRows } from "./corpus/rows-file.ts"
import { type LoadFigures, type LoadTarget, pacedLoad } from "./http/load.ts"
import { machineFacts, machineLines } from "./machine.ts"
import { requireProcessFigures } from "./process-figures.ts"
import { writeResults } from "./results.ts"
import { median } from "./statistics.ts"
import { assayProgram } from "../scripts/program.ts"

const INCREMENTS = 5
const POSTGRES_LOOKUPS = 2_000
const RATE = 100
const SMALL = 1_000_000

interface Aim {
  readonly what: string
  readonly figure: number
  readonly aim: string
  readonly met: boolean
}

export const corpusBench: Bench<"rows" | "lookups" | "large" | "memory" | "seconds"> = {
  name: "corpus",
  summary: "imports, index size and look-ups beside plain SQLite and PostgreSQL",
  options: {
    rows: { fallback: 10_000_000, min: 10_000, max: 1_000_000_000, meaning: "rows to import" },
    lookups: { fallback: 100_000, min: 1_000, max: 10_000_000, meaning: "look-ups to time" },
    large: {
      fallback: 50_000_000,
      min: 1_000,
      max: 1_000_000_000,
      meaning: "identities of the large index, compared with 1 million",
    },
    memory: { fallback: 256, min: 128, max: 65_536, meaning: "megabytes of the sorter" },
    seconds: { fallback: 20, min: 2, max: 600, meaning: "seconds of scoring before an import" },
  },
  async run({ rows, lookups, large, memory, seconds }) {
    requireProcessFigures()
    const machine = machineFacts()
    const folder = mkdtempSync(join(tmpdir(), "assay-bench-corpus-"))
    // PostgreSQL reads the rows under an account of its own.
    chmodSync(folder, 0o711)
    try {
      const aims = await measured(folder, { rows, lookups, large, memory, seconds })
      const table = markdownTable(
        ["what", "figure", "aim", "met"],
        aims.map(({ what, figure, aim, met }) => [
          what,
          rounded(figure),
          aim,
          aim === "" ? "" : met ? "yes" : "NO",
        ]),
      )
      console.log(`\n${table}\n`)
      const page = `# Corpus

Printed by \`npm run bench -- corpus\`: ${rows.toLocaleString("en")} rows of made-up addresses and passwords, imported by
\`assay corpus import\` with all its work, by the \`sqlite3\` command and by PostgreSQL's COPY, the last two with an index
on the address and settings as they come. Ratios are of one run.

${machineLines(machine)}

${table}
`
      const figures = { machine, options: { rows, lookups, large, memory, seconds }, aims }
      console.log(`Written to ${writeResults("corpus", figures, page).join(" and ")}`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

type Given = Readonly<Record<"rows" | "lookups" | "large" | "memory" | "seconds", number>>

async function measured(folder: string, given: Given): Promise<Aim[]> {
  const { rows, lookups, large, memory, seconds } = given
  const file = join(folder, "rows.txt")
  say(`writing ${rows} rows`)
  const bytes = await writeRows(file, rows, 1)
  const emails = shuffled(await firstEmails(file, Math.min(rows, lookups)), 2)

  say("importing with Assay")
  const data = join(folder, "data")
  const imported = await assay(
    data,
    "corpus",
    "import",
    file,
    ...IMPORT,
    "--memory",
    String(memory),
  )
  const grown = await indexOf(data, (index) => index.stats())

  say("importing with sqlite3")
  const sqlite = await plainSqlite(file, folder)
  say("importing with PostgreSQL")
  const postgres = await plainPostgres(file, emails.slice(0, POSTGRES_LOOKUPS))

  say("compacting")
  const compacting = await assay(data, "corpus", "compact")
  const packed = await indexOf(data, (index) => index.stats())

  say("looking up")
  const secrets = openSecrets(join(data, "secret"), false)
  const keys = emails.map((email) => {
    const parsed = parseEmail(email)
    if ("fault" in parsed) throw new BenchError("a row holds no address")
    return identityKey(sha256, secrets.subkeys.identity, IDENTITY_TAGS.email, parsed.canonical)
  })
  const keyed = await keyedSqlite(onlySegment(data), folder)
  const ofIndex = await indexOf(data, (index) =>
    medianMicros(keys, (key) => index.lookup(key, null)),
  )
  const ofKeyed = await medianMicros(keys, keyed.lookup)
  keyed.close()

  say("scoring while an import runs")
  const [quiet, busy] = await scoredDuringImport(data, folder, emails, rows, seconds)

  say(`importing ${INCREMENTS} times`)
  const increments = join(folder, "increments")
  for (let part = 0; part < INCREMENTS; part++) {
    const piece = join(folder, "part.txt")
    await writeRows(piece, Math.floor(rows / INCREMENTS), 10 + part)
    await assay(increments, "corpus", "import", piece, ...IMPORT)
  }
  const merged = await indexOf(increments, (index) => index.stats())
  rmSync(increments, { recursive: true })

  say(`an index of ${large} identities`)
  const small = await lookupsOf(folder, Math.min(SMALL, large), lookups)
  const big = await lookupsOf(folder, large, lookups)

  const perIdentity = (stats: { bytes: number; identities: number }): number =>
    stats.bytes / stats.identities
  const atMost = (what: string, figure: number, aim: number): Aim => ({
    what,
    figure,
    aim: `at most ${aim}`,
    met: figure <= aim,
  })
  const atLeast = (what: string, figure: number, aim: number): Aim => ({
    what,
    figure,
    aim: `at least ${aim}`,
    met: figure >= aim,
  })
  const only = (what: string, figure: number): Aim => ({ what, figure, aim: "", met: true })
  return [
    only("rows file, MB", bytes / 1e6),
    only("Assay import, s", imported.seconds),
    only("plain SQLite, s", sqlite.seconds),
    only("plain PostgreSQL, s", postgres.seconds),
    atLeast("import: rows per second of plain SQLite's", sqlite.seconds / imported.seconds, 1),
    atLeast("import: of plain PostgreSQL's", postgres.seconds / imported.seconds, 1),
    atMost("peak anonymous memory of an import, MB", imported.peakBytes / 1e6, 2000),
    only("compaction, s", compacting.seconds),
    only("index after the import, bytes an identity", perIdentity(grown)),
    atMost("index after compaction, bytes an identity", perIdentity(packed), 40),
    only(`index after ${INCREMENTS} imports, bytes an identity`, perIdentity(merged)),
    atMost("index: of plain SQLite's size", packed.bytes / sqlite.bytes, 0.55),
    atMost("index: of plain PostgreSQL's size", packed.bytes / postgres.bytes, 0.35),
    atMost("index: of keyed SQLite's size", packed.bytes / keyed.bytes, 1.2),
    only("look-up in process, µs", ofIndex),
    only("look-up in keyed SQLite, µs", ofKeyed),
    only("look-up over PostgreSQL's socket, µs", postgres.lookupMicros),
    atLeast("look-ups: of keyed SQLite's", ofKeyed / ofIndex, 4),
    atLeast("look-ups: of PostgreSQL's", postgres.lookupMicros / ofIndex, 40),
    only(`look-up p50 with ${Math.min(SMALL, large)} identities, µs`, small),
    only(`look-up p50 with ${large} identities, µs`, big),
    atMost("look-up p50: large index of the small one's", big / small, 2.5),
    only("scoring p99, quiet, ms", quiet.p99Ms),
    only("scoring p99 while an import runs, ms", busy.p99Ms),
    atMost("scoring p99: during an import of the quiet one's", busy.p99Ms / quiet.p99Ms, 2),
  ]
}

const IMPORT = ["--source", "bench", "--kind", "combolist", "--date", "2026-01-01"] as const

async function assay(data: string, ...args: readonly string[]): Promise<MeasuredRun> {
  return await runMeasured(process.execPath, [...assayProgram(), ...args], {
    env: { ASSAY_DATA: data },
  })
}

async function indexOf<T>(data: string, work: (index: ExposureIndex) => Promise<T>): Promise<T> {
  const index = await openLmdbIndex({ path: join(data, "index"), readOnly: true })
  try {
    return await work(index)
  } finally {
    await index.close()
  }
}

function onlySegment(data: string): string {
  const [name] = readdirSync(join(data, "segments")).filter((file) => file.endsWith(".parquet"))
  if (name === undefined) throw new BenchError("the import left no segment")
  return join(data, "segments", name)
}

/** The median over batches of look-ups: one look-up is too short for the clock. */
async function medianMicros(
  keys: readonly Uint8Array[],
  lookup: (key: Uint8Array) => unknown,
): Promise<number> {
  const BATCH = 200
  const micros: number[] = []
  for (let from = 0; from + BATCH <= keys.length; from += BATCH) {
    const startedAt = performance.now()
    for (const key of keys.slice(from, from + BATCH)) {
      const found = lookup(key)
      if (found instanceof Promise) await found
    }
    micros.push(((performance.now() - startedAt) * 1000) / BATCH)
  }
  return median(micros)
}

async function lookupsOf(folder: string, identities: number, lookups: number): Promise<number> {
  const index = await largeIndex(folder, identities)
  try {
    const rows = shuffled(
      Array.from({ length: lookups }, (_, n) => Math.floor((n * identities) / lookups)),
      3,
    )
    const keys = rows.map((row) => {
      const key = Buffer.alloc(16)
      keyAt(row, identities, key)
      return key
    })
    // Once through first, so that the pages are in memory.
    await medianMicros(keys, (key) => index.lookup(key, null))
    return await medianMicros(keys, (key) => index.lookup(key, null))
  } finally {
    await index.close()
    rmSync(join(folder, `index-${identities}`), { recursive: true, force: true })
  }
}

async function scoredDuringImport(
  data: string,
  folder: string,
  emails: readonly string[],
  rows: number,
  seconds: number,
): Promise<[LoadFigures, LoadFigures]> {
  const bodiesFile = join(folder, "bodies.ndjson")
  writeFileSync(
    bodiesFile,
    emails
      .slice(0, 5_000)
      .map((email) => `${JSON.stringify({ email })}\n`)
      .join(""),
  )
  const more = join(folder, "more.txt")
  await writeRows(more, rows, 99)
  const service = await startProgram(
    [...assayProgram(), "serve"],
    { ASSAY_DATA: data, PORT: "0", DROP: "off" },
    /http:\/\/localhost:(\d+)\/docs\n.*API key +(ask_demo_\w+)\n/,
  )
  try {
    const [, port = "", apiKey = ""] = service.ready
    const target: LoadTarget = {
      port: Number(port),
      path: "/api/v1/risk/score",
      apiKey,
      bodiesFile,
    }
    const quiet = await pacedLoad(target, { connections: 10, seconds }, RATE)
    const importing = assay(data, "corpus", "import", more, ...IMPORT)
    // As long as the import is expected to take, so that all its phases are in it.
    const during = await pacedLoad(target, { connections: 10, seconds }, RATE)
    await importing
    return [quiet, during]
  } finally {
    await service.stop()
  }
}

async function firstEmails(file: string, count: number): Promise<string[]> {
  const emails: string[] = []
  const lines = createInterface({ input: createReadStream(file) })
  for await (const line of lines) {
    emails.push(line.slice(0, line.indexOf(":")))
    if (emails.length === count) break
  }
  lines.close()
  return emails
}

function rounded(figure: number): string {
  return figure >= 100 ? figure.toFixed(0) : figure.toFixed(2)
}

function say(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`)
}
