import { chmodSync, createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { IDENTITY_TAGS, identityKey, parseEmail } from "@assay/core/identity"
import { openSecrets, sha256 } from "../packages/runtime/src/secrets.ts"
import { assayProgram } from "../scripts/program.ts"
import { type Bench, BenchError } from "./bench.ts"
import { startProgram } from "./child-program.ts"
import {
  assay,
  bytesAnIdentity,
  importList,
  indexOf,
  onlySegment,
  requireBuilt,
} from "./corpus/assay.ts"
import { atLeast, atMost, type Figure, judgedTable, told, toldTable } from "./corpus/figures.ts"
import { keyedSqlite } from "./corpus/keyed-sqlite.ts"
import { keyAt, largeIndex } from "./corpus/large-index.ts"
import { lookupCpuMicros, lookupMicros } from "./corpus/look-ups.ts"
import {
  importRounds,
  type MoreRound,
  moreRounds,
  type Places,
  ratio,
  type Round,
} from "./corpus/rounds.ts"
import { shuffled, writeRows } from "./corpus/rows-file.ts"
import { writeLogs } from "./corpus/small-files.ts"
import { type LoadFigures, type LoadTarget, pacedLoad } from "./http/load.ts"
import { machineFacts, machineLines } from "./machine.ts"
import { machineProcessor, ownProcessorMicros, requireProcessFigures } from "./process-figures.ts"
import { writeResults } from "./results.ts"
import { median } from "./statistics.ts"

const INCREMENTS = 5
const POSTGRES_LOOKUPS = 2_000
const RATE = 100
const SMALL = 1_000_000
/** The counts that figures of 10 million rows are for. */
const TEN_MILLION = 10_000_000
const FIXED_ROWS = 1_000
const FIXED_ROUNDS = 5
const LOOKUP_ROUNDS = 3
/** One in a hundred requests meets a pause of the machine, with an import or without. */
const SCORING_ROUNDS = 3

type Option = "rows" | "rounds" | "lookups" | "large" | "memory" | "seconds" | "only-lookups"
type Given = Readonly<Record<Option, number>>

export const corpusBench: Bench<Option> = {
  name: "corpus",
  summary: "imports, index size and look-ups beside plain SQLite and PostgreSQL",
  options: {
    rows: { fallback: 2_000_000, min: 10_000, max: 1_000_000_000, meaning: "rows to import" },
    rounds: { fallback: 5, min: 1, max: 100, meaning: "rounds to take the median of" },
    lookups: { fallback: 1_000_000, min: 1_000, max: 10_000_000, meaning: "look-ups to time" },
    large: {
      fallback: 10_000_000,
      min: 1_000,
      max: 1_000_000_000,
      meaning: "identities of the large index, compared with 1 million",
    },
    memory: { fallback: 512, min: 128, max: 65_536, meaning: "megabytes of the sorter" },
    seconds: { fallback: 20, min: 2, max: 600, meaning: "seconds of scoring before an import" },
    "only-lookups": {
      fallback: 0,
      min: 0,
      max: 1,
      meaning: "1: import once, time look-ups, print them, and write no results",
    },
  },
  async run(given) {
    requireProcessFigures()
    requireBuilt()
    const machine = machineFacts()
    const [before, beganAt, ownBefore] = [machineProcessor(), Date.now(), ownProcessorMicros()]
    const folder = mkdtempSync(join(tmpdir(), "assay-bench-corpus-"))
    // PostgreSQL reads the rows under an account of its own.
    chmodSync(folder, 0o711)
    try {
      if (given["only-lookups"] === 1) {
        const looked = await onlyLookedUp(folder, given)
        console.log(`\n${judgedTable(looked)}\n\n${toldTable(looked)}`)
        return
      }
      const { figures, ...rounds } = await measured(folder, given)
      const after = machineProcessor()
      const cores = (Date.now() - beganAt) * 1000 * machine.cores
      const used = after.used - before.used
      const others = {
        used: Math.max(0, used - (ownProcessorMicros() - ownBefore)) / cores,
        stolen: (after.stolen - before.stolen) / cores,
      }
      const { rows } = given
      const [judged, rest] = [judgedTable(figures), toldTable(figures)]
      console.log(`\n${judged}\n\n${rest}\n\n${othersLine(others)}\n`)
      const page = `# Corpus

Printed by \`npm run bench -- corpus ${optionsText(given)}\`: ${rows.toLocaleString("en")} rows of made-up addresses and
passwords, imported by \`assay corpus import\` with all its work, by the \`sqlite3\` command and by PostgreSQL's COPY, the last two with
an index on the address and settings as they come. All three run at the priority of an import, from built files, and take turns: ratios are
the median of ${given.rounds} rounds. CPU is of all processes together. Look-ups are compared by the processor time of their thread.

${machineLines(machine)}
- ${othersLine(others)}

${judged}

${rest}
`
      const result = { machine, options: given, others, aims: figures, ...rounds }
      console.log(`Written to ${writeResults("corpus", result, page).join(" and ")}`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

interface Measured {
  readonly figures: readonly Figure[]
  readonly rounds: readonly Round[]
  readonly moreRounds: readonly MoreRound[]
}

async function measured(folder: string, given: Given): Promise<Measured> {
  const { rows, rounds, lookups, large, memory, seconds } = given
  const file = join(folder, "rows.txt")
  say(`writing ${rows} rows`)
  const bytes = await writeRows(file, rows, 1)
  const emails = shuffled(await firstEmails(file, Math.min(rows, lookups)), 2)
  const places: Places = { data: join(folder, "data"), database: join(folder, "plain.sqlite") }
  const { data } = places

  say("importing with each")
  const all = await importRounds(
    file,
    places,
    emails.slice(0, POSTGRES_LOOKUPS),
    { rounds, memory },
    say,
  )
  const grown = await bytesAnIdentity(data)

  say("looking up")
  const looked = await lookedUp(data, folder, emails)

  say("compacting")
  const compacting = await assay(data, "corpus", "compact")
  const packed = await indexOf(data, (index) => index.stats())

  const more = Math.max(FIXED_ROWS, Math.floor(rows / 10))
  say(`importing ${more} rows into these`)
  const further = await moreRounds(places, folder, more, rounds, say)

  say("scoring while an import runs")
  const scored = await scoredDuringImport(data, folder, emails, rows, seconds)
  rmSync(data, { recursive: true })
  rmSync(places.database)

  say(`importing ${INCREMENTS} times`)
  const increments = join(folder, "increments")
  for (let part = 0; part < INCREMENTS; part++) {
    const piece = join(folder, "part.txt")
    await writeRows(piece, Math.floor(rows / INCREMENTS), 10 + part)
    await importList(increments, piece)
  }
  const merged = await bytesAnIdentity(increments)
  rmSync(increments, { recursive: true })

  say("importing little, and many files")
  const fixed = await fixedCost(folder)
  const files = await manyFiles(folder)

  say(`an index of ${large} identities`)
  const [small, big] = await lookupsBySize(folder, large, lookups)

  const imports = all.rounds.map((round) => round.assay)
  const perTenMillion = (cpu: readonly number[]): number => (median(cpu) * TEN_MILLION) / rows
  const cpuOf = (name: keyof Round): number =>
    perTenMillion(all.rounds.map((round) => round[name].cpuSeconds))
  const secondsOf = (name: keyof Round): number =>
    median(all.rounds.map((round) => round[name].seconds))
  const figures = [
    atLeast("import: rows a second ÷ plain SQLite's", ratio(all.rounds, ours, sqlite), 1.3, 2),
    atLeast("import: ÷ PostgreSQL's COPY and index", ratio(all.rounds, ours, postgres), 1, 1.5),
    atMost("CPU s for 10 million rows", cpuOf("assay"), 18, 12),
    atLeast("a tenth more into these: ÷ plain SQLite's", ratio(further, ours, sqlite), 1, 2),
    ...lookUpFigures(looked).slice(0, 1),
    atMost("index, bytes an identity", grown, 33, 30),
    atMost(`index after ${INCREMENTS} imports, bytes an identity`, merged, 36, 30),
    atMost(`look-up p50, ${large} ÷ ${small.identities} identities`, big.p50 / small.p50, 1.6, 1.3),
    atMost(
      "peak anonymous memory of an import, MB",
      Math.max(...imports.map(({ peakBytes }) => peakBytes)) / 1e6,
      800,
      500,
    ),
    atMost(`CPU s of an import of ${FIXED_ROWS} rows`, fixed, 1.2, 0.6),
    atMost("scoring p99 beside an import ÷ quiet", median(scored.map(slowdown)), 2),
    atMost("index: of plain SQLite's size", packed.bytes / all.sqliteBytes, 0.55),
    atMost("index: of plain PostgreSQL's size", packed.bytes / all.postgresBytes, 0.35),
    atMost("index: of keyed SQLite's size", packed.bytes / looked.keyedBytes, 1.2),
    told("rows file, MB", bytes / 1e6),
    told("Assay import, s", secondsOf("assay")),
    told("plain SQLite, s", secondsOf("sqlite")),
    told("plain PostgreSQL, s", secondsOf("postgres")),
    told("CPU s for 10 million rows, plain SQLite", cpuOf("sqlite")),
    told("CPU s for 10 million rows, plain PostgreSQL", cpuOf("postgres")),
    told("a tenth more, Assay, s", median(further.map((round) => round.assay.seconds))),
    told("a tenth more, Assay, CPU s", median(further.map((round) => round.assay.cpuSeconds))),
    told("a tenth more, plain SQLite, s", median(further.map((round) => round.sqlite.seconds))),
    told(
      "a tenth more, plain SQLite, CPU s",
      median(further.map((round) => round.sqlite.cpuSeconds)),
    ),
    told(`${files.count} small files: CPU of one file of their rows`, files.ratio),
    told("compaction, s", compacting.seconds),
    told("index after compaction, bytes an identity", packed.bytes / packed.identities),
    ...lookUpFigures(looked).slice(1),
    told("look-up over PostgreSQL's socket, µs", all.postgresLookupMicros),
    told(`look-up p50 with ${small.identities} identities, µs`, small.p50),
    told(`look-up p50 with ${large} identities, µs`, big.p50),
    told("scoring p99, quiet, ms", median(scored.map(({ quiet }) => quiet.p99Ms))),
    told("scoring p99 while an import runs, ms", median(scored.map(({ during }) => during.p99Ms))),
  ]
  return { figures, rounds: all.rounds, moreRounds: further }
}

/** The figures of look-ups alone, of an index that was imported once. */
async function onlyLookedUp(folder: string, { rows, lookups }: Given): Promise<readonly Figure[]> {
  const file = join(folder, "rows.txt")
  say(`writing ${rows} rows`)
  await writeRows(file, rows, 1)
  const data = join(folder, "data")
  say("importing")
  await importList(data, file)
  say("looking up")
  const emails = shuffled(await firstEmails(file, Math.min(rows, lookups)), 2)
  return lookUpFigures(await lookedUp(data, folder, emails))
}

function lookUpFigures(looked: LookedUp): readonly Figure[] {
  return [
    atLeast("look-ups in process ÷ keyed SQLite's, known", looked.keyed / looked.index, 4, 6),
    told("look-up in process, known, CPU µs", looked.index),
    told("look-up in keyed SQLite, known, CPU µs", looked.keyed),
    told("look-up in process, unknown, CPU µs", looked.indexUnknown),
    told("look-up in keyed SQLite, unknown, CPU µs", looked.keyedUnknown),
  ]
}

const ours = ({ assay: run }: MoreRound): Round["assay"] => run
const sqlite = ({ sqlite: run }: MoreRound): Round["sqlite"] => run
const postgres = ({ postgres: run }: Round): Round["postgres"] => run

interface LookedUp {
  readonly keyedBytes: number
  readonly index: number
  readonly keyed: number
  readonly indexUnknown: number
  readonly keyedUnknown: number
}

/** Look-ups of the imported rows in the index, and in SQLite with the same keyed rows. */
async function lookedUp(
  data: string,
  folder: string,
  emails: readonly string[],
): Promise<LookedUp> {
  const { identity } = openSecrets(join(data, "secret"), false).subkeys
  const keyOf = (email: string): Uint8Array => {
    const parsed = parseEmail(email)
    if ("fault" in parsed) throw new BenchError("a row holds no address")
    return identityKey(sha256, identity, IDENTITY_TAGS.email, parsed.canonical)
  }
  const keys = emails.map(keyOf)
  const unknown = emails.map((email) => keyOf(`unknown-${email}`))
  const keyed = await keyedSqlite(onlySegment(data), folder)
  try {
    return await indexOf(data, async (index) => {
      const lookups = [(key: Uint8Array) => index.lookup(key, null), keyed.lookup]
      const [ofIndex = NaN, ofKeyed = NaN] = await lookupCpuMicros(keys, lookups)
      const [indexUnknown = NaN, keyedUnknown = NaN] = await lookupCpuMicros(unknown, lookups)
      return { keyedBytes: keyed.bytes, index: ofIndex, keyed: ofKeyed, indexUnknown, keyedUnknown }
    })
  } finally {
    keyed.close()
    rmSync(keyed.file)
  }
}

/** Processor seconds of an import of next to nothing into a directory of its own. */
async function fixedCost(folder: string): Promise<number> {
  const file = join(folder, "few.txt")
  await writeRows(file, FIXED_ROWS, 7)
  const seconds: number[] = []
  for (let round = 0; round < FIXED_ROUNDS; round++) {
    const data = join(folder, "few")
    seconds.push((await importList(data, file)).cpuSeconds)
    rmSync(data, { recursive: true })
  }
  return median(seconds)
}

/** What a thousand logs cost, as a multiple of one file of the same rows. */
async function manyFiles(folder: string): Promise<{ count: number; ratio: number }> {
  const { logs, whole, files } = writeLogs(folder)
  const data = join(folder, "logs-data")
  const cost = async (path: string): Promise<number> => {
    const { cpuSeconds } = await assay(data, "corpus", "import", path, "--source", "logs")
    rmSync(data, { recursive: true })
    return cpuSeconds
  }
  const ratios: number[] = []
  for (let round = 0; round < FIXED_ROUNDS; round++)
    ratios.push((await cost(logs)) / (await cost(whole)))
  return { count: files, ratio: median(ratios) }
}

interface SizedLookups {
  readonly identities: number
  readonly p50: number
}

/** Look-ups in a small and in a large index. */
async function lookupsBySize(
  folder: string,
  large: number,
  lookups: number,
): Promise<[SizedLookups, SizedLookups]> {
  const sizes = [Math.min(SMALL, large), large] as const
  const [small, big] = [
    await largeIndex(join(folder, "small"), sizes[0]),
    await largeIndex(join(folder, "large"), sizes[1]),
  ]
  try {
    const [ofSmall = NaN, ofLarge = NaN] = await lookupMicros(
      [small, big].map((index, n) => ({
        keys: keysOf(sizes[n] as number, lookups),
        lookup: (key) => index.lookup(key, null),
      })),
      LOOKUP_ROUNDS,
    )
    return [
      { identities: sizes[0], p50: ofSmall },
      { identities: sizes[1], p50: ofLarge },
    ]
  } finally {
    await Promise.all([small.close(), big.close()])
    for (const name of ["small", "large"]) rmSync(join(folder, name), { recursive: true })
  }
}

/** Keys of identities all over the index, in no order. */
function keysOf(identities: number, count: number): Uint8Array[] {
  const rows = Array.from({ length: count }, (_, n) => Math.floor((n * identities) / count))
  return shuffled(rows, 3).map((row) => {
    const key = Buffer.alloc(16)
    keyAt(row, identities, key)
    return key
  })
}

/** A round of scoring: before an import, and beside it. */
interface Scored {
  readonly quiet: LoadFigures
  readonly during: LoadFigures
}

const slowdown = ({ quiet, during }: Scored): number => during.p99Ms / quiet.p99Ms

async function scoredDuringImport(
  data: string,
  folder: string,
  emails: readonly string[],
  rows: number,
  seconds: number,
): Promise<readonly Scored[]> {
  const bodiesFile = join(folder, "bodies.ndjson")
  writeFileSync(
    bodiesFile,
    emails
      .slice(0, 5_000)
      .map((email) => `${JSON.stringify({ email })}\n`)
      .join(""),
  )
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
    const loads: Scored[] = []
    for (let round = 0; round < SCORING_ROUNDS; round++) {
      const more = join(folder, "more.txt")
      await writeRows(more, rows, 99 + round)
      const quiet = await pacedLoad(target, { connections: 10, seconds }, RATE)
      const importing = importList(data, more)
      // As long as the import is expected to take, so that all its phases are in it.
      const during = await pacedLoad(target, { connections: 10, seconds }, RATE)
      await importing
      rmSync(more)
      loads.push({ quiet, during })
    }
    return loads
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

function optionsText(given: Given): string {
  return Object.entries(given)
    .filter(([name]) => name !== "only-lookups")
    .map(([name, value]) => `--${name} ${value}`)
    .join(" ")
}

/** Shares of all cores while the bench ran. */
function othersLine({ used, stolen }: { readonly used: number; readonly stolen: number }): string {
  const percent = (share: number): string => `${(share * 100).toFixed(0)} %`
  return `While it ran, other programs used ${percent(used)} of the machine's cores, and its host kept ${percent(stolen)} of them for others`
}

function say(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`)
}
