import { sql, type Kysely } from "kysely"
import { Migrator, type Migration } from "kysely/migration"

import type { ColumnTypes, Database, Engine } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import { accounts } from "./records-migrations/0001-accounts.ts"
import { feedback } from "./records-migrations/0002-feedback.ts"
import { observations } from "./records-migrations/0003-observations.ts"
import { subjects } from "./records-migrations/0004-subjects.ts"
import { providerCosts } from "./records-migrations/0005-provider-costs.ts"
import { sharedObservations } from "./records-migrations/0006-shared-observations.ts"

// In order and never edited once released; the format is the number of the last one.
const migrations: Record<string, (db: Kysely<unknown>, columns: ColumnTypes) => Promise<void>> = {
  "0001-accounts": accounts,
  "0002-feedback": feedback,
  "0003-observations": observations,
  "0004-subjects": subjects,
  "0005-provider-costs": providerCosts,
  "0006-shared-observations": sharedObservations,
}
export const recordsFormat = Object.keys(migrations).length

/** Brings the tables to `recordsFormat` in one transaction, or leaves them as they were. */
export async function migrateRecords(engine: Engine): Promise<void> {
  await engine.migrating(async (write) => {
    await refuseNewerFormat(engine, write)
    const { error } = await new Migrator({
      db: write,
      provider: { getMigrations: async () => numbered(engine.columns) },
      // Kysely's own names would clash with another program's in a shared schema.
      migrationTableName: "assay_migration",
      migrationLockTableName: "assay_migration_lock",
    }).migrateToLatest()
    if (error !== undefined) throw error as Error
  })
}

/** Throws when a newer program has changed the tables in ways this one does not know. */
export async function refuseNewerFormat(engine: Engine, db: Database): Promise<void> {
  if (!(await engine.tableExists(db, "meta"))) return
  const row = await db
    .selectFrom("meta")
    .select("value")
    .where("name", "=", "format")
    .executeTakeFirst()
  const format = Number(row?.value ?? 0)
  if (format <= recordsFormat) return
  throw new RecordsError(
    "newer-format",
    `The records are in format ${format} and this program knows formats up to ${recordsFormat}: ` +
      "run the newer program, or restore a backup from before it was installed",
  )
}

function numbered(columns: ColumnTypes): Record<string, Migration> {
  return Object.fromEntries(
    Object.entries(migrations).map(([name, migration], index) => {
      const up = async (db: Kysely<unknown>): Promise<void> => {
        await migration(db, columns)
        await sql`
          insert into meta (name, value) values ('format', ${String(index + 1)})
          on conflict (name) do update set value = excluded.value`.execute(db)
      }
      return [name, { up }]
    }),
  )
}
