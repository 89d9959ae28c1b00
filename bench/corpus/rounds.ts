import { rmSync } from "node:fs"
import { join } from "node:path"
import { median } from "../statistics.ts"
import { importList } from "./assay.ts"
import { plainPostgres, plainSqlite, plainSqliteMore, type PlainRun } from "./plain-stores.ts"
import type { MeasuredRun } from "./run-measured.ts"
import { writeRows } from "./rows-file.ts"

/** One import of the same rows by each. */
export interface Round {
  readonly assay: MeasuredRun
  readonly sqlite: PlainRun
  readonly postgres: PlainRun
}

export interface Rounds {
  readonly rounds: readonly Round[]
  readonly sqliteBytes: number
  readonly postgresBytes: number
  readonly postgresLookupMicros: number
}

/** Where the last round leaves what it made. */
export interface Places {
  readonly data: string
  readonly database: string
}

/**
 * Imports the same file again and again, each time by all three, which take turns at being first:
 * the machine has good and bad minutes.
 */
export async function importRounds(
  file: string,
  { data, database }: Places,
  emails: readonly string[],
  { rounds, memory }: { readonly rounds: number; readonly memory: number },
  say: (what: string) => void,
): Promise<Rounds> {
  const made: Round[] = []
  let [sqliteBytes, postgresBytes, postgresLookupMicros] = [NaN, NaN, NaN]
  for (let round = 1; round <= rounds; round++) {
    rmSync(data, { recursive: true, force: true })
    rmSync(database, { force: true })
    let assay: MeasuredRun | null = null
    let sqlite: PlainRun | null = null
    let postgres: PlainRun | null = null
    const turns = [
      async () => void (assay = await importList(data, file, "--memory", String(memory))),
      async () => {
        const { bytes, ...run } = await plainSqlite(file, database)
        sqliteBytes = bytes
        sqlite = run
      },
      async () => {
        const { bytes, lookupMicros, ...run } = await plainPostgres(
          file,
          round === rounds ? emails : [],
        )
        postgresBytes = bytes
        postgresLookupMicros = lookupMicros
        postgres = run
      },
    ]
    for (let turn = 0; turn < turns.length; turn++) await turns[(turn + round) % turns.length]?.()
    const each = { assay, sqlite, postgres } as unknown as Round
    made.push(each)
    say(`round ${round}: ${secondsText(each)}`)
  }
  return { rounds: made, sqliteBytes, postgresBytes, postgresLookupMicros }
}

export type MoreRound = Pick<Round, "assay" | "sqlite">

/** Imports further files into what the rounds left, one a round, so that both stores grow alike. */
export async function moreRounds(
  { data, database }: Places,
  folder: string,
  rows: number,
  rounds: number,
  say: (what: string) => void,
): Promise<readonly MoreRound[]> {
  const made: MoreRound[] = []
  const file = join(folder, "more.txt")
  for (let round = 1; round <= rounds; round++) {
    await writeRows(file, rows, 1_000 + round)
    let assay: MeasuredRun | null = null
    let sqlite: PlainRun | null = null
    const turns = [
      async () => void (assay = await importList(data, file)),
      async () => void (sqlite = await plainSqliteMore(file, database)),
    ]
    for (let turn = 0; turn < turns.length; turn++) await turns[(turn + round) % turns.length]?.()
    const each = { assay, sqlite } as unknown as MoreRound
    made.push(each)
    say(`round ${round}: ${secondsText(each)}`)
  }
  return made
}

/** The median over rounds of how many rows Assay took while another took one. */
export function ratio<R>(
  rounds: readonly R[],
  ours: (round: R) => PlainRun,
  theirs: (round: R) => PlainRun,
): number {
  return median(rounds.map((round) => theirs(round).seconds / ours(round).seconds))
}

function secondsText(round: Readonly<Partial<Record<keyof Round, PlainRun>>>): string {
  return Object.entries(round)
    .map(([name, { seconds, cpuSeconds }]) => {
      return `${name} ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of CPU)`
    })
    .join(", ")
}
