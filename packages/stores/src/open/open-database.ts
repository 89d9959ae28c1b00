import type {
  Database,
  DatabaseEngine,
  DatabasePlace,
  DatabaseUse,
  DecisionsUse,
  RecordsCopyUse,
  RecordsUse,
} from "../database.ts"
import type { Decisions, DecisionsReader } from "../decisions.ts"
import { postgres } from "../postgres/engine.ts"
import type { RecordsCopy } from "../records-copy.ts"
import { RecordsError } from "../records-error.ts"
import type { Records } from "../records.ts"
import { sqliteIn } from "../sqlite/engine.ts"

/** The engines that DATABASE_URL can name. */
const engines: readonly DatabaseEngine[] = [
  // PostgreSQL
  postgres,
]

export const databaseUrls = {
  takes: engines.map(({ takes }) => takes).join(", or "),
  isTaken: (url: string): boolean => engines.some((engine) => engine.at(url) !== null),
}

/** The database of a place. This is the only code that chooses between engines. */
export function databaseAt({ databaseUrl, dataDirectory }: DatabasePlace): Database {
  if (databaseUrl === null) return sqliteIn(dataDirectory)
  for (const engine of engines) {
    const database = engine.at(databaseUrl)
    if (database !== null) return database
  }
  throw new RecordsError("unavailable", `DATABASE_URL takes ${databaseUrls.takes}`)
}

export async function openRecords(place: DatabasePlace, use: RecordsUse = {}): Promise<Records> {
  return await databaseAt(place).openRecords(use)
}

/** The rows of the records, to be copied or put back. */
export async function copyRecords(place: DatabasePlace, use: RecordsCopyUse): Promise<RecordsCopy> {
  return await databaseAt(place).copyRecords(use)
}

/** Whether other services may use the same records: each is then one of several nodes. */
export function recordsAreShared(place: DatabasePlace): boolean {
  return databaseAt(place).isShared
}

/** Whether opening the decisions of a place can find any. */
export function mayHoldDecisions(place: DatabasePlace): boolean {
  return databaseAt(place).mayHoldDecisions()
}

export async function openDecisions(
  place: DatabasePlace,
  use: DecisionsUse = {},
): Promise<Decisions> {
  return await databaseAt(place).openDecisions(use)
}

/** Decisions that another process writes. */
export async function readDecisions(
  place: DatabasePlace,
  use: DatabaseUse = {},
): Promise<DecisionsReader> {
  return await databaseAt(place).readDecisions(use)
}
