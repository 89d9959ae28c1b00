import { sql, type Kysely } from "kysely"
import type { Migration } from "kysely/migration"

import type { ColumnTypes } from "./records-migrations/column-types.ts"
import type { Database, Engine } from "./records-engine.ts"
import { hasOldKeys, oldKeysSentence } from "@assay/runtime/old-keys"
import { RecordsError } from "./records-error.ts"
import { accounts } from "./records-migrations/0001-accounts.ts"
import { feedback } from "./records-migrations/0002-feedback.ts"
import { observations } from "./records-migrations/0003-observations.ts"
import { subjects } from "./records-migrations/0004-subjects.ts"
import { providerCosts } from "./records-migrations/0005-provider-costs.ts"
import { sharedObservations } from "./records-migrations/0006-shared-observations.ts"
import { evidence } from "./records-migrations/0007-evidence.ts"
import { policies } from "./records-migrations/0008-policies.ts"
import { people } from "./records-migrations/0009-people.ts"
import { review } from "./records-migrations/0011-review.ts"
import { auditChain } from "./records-migrations/0010-audit-chain.ts"
import { shadows } from "./records-migrations/0012-shadows.ts"
import { signups } from "./records-migrations/0013-signups.ts"
import { outsideAccounts } from "./records-migrations/0014-outside-accounts.ts"
import { views } from "./records-migrations/0015-views.ts"
import { events } from "./records-migrations/0016-events.ts"
import { watch } from "./records-migrations/0017-watch.ts"
import { domainWatches } from "./records-migrations/0018-domain-watches.ts"
import { sinks } from "./records-migrations/0019-sinks.ts"
import { sharedSignals } from "./records-migrations/0020-shared-signals.ts"
import { nodes } from "./records-migrations/0021-nodes.ts"
import { chainer } from "./records-audit.ts"

type MigrationStep = (
  db: Kysely<unknown>,
  columns: ColumnTypes,
  auditKey: Uint8Array | null,
) => Promise<void>

// In order and never edited once released; the format is the number of the last one.
const migrations: Record<string, MigrationStep> = {
  "0001-accounts": accounts,
  "0002-feedback": feedback,
  "0003-observations": observations,
  "0004-subjects": subjects,
  "0005-provider-costs": providerCosts,
  "0006-shared-observations": sharedObservations,
  "0007-evidence": evidence,
  "0008-policies": policies,
  "0009-people": people,
  "0010-audit-chain": async (db, columns, auditKey) => {
    const chain = chainer(auditKey)
    await auditChain(db, columns, chain.add)
    await chain.end(db)
  },
  "0011-review": review,
  "0012-shadows": shadows,
  "0013-signups": signups,
  "0014-outside-accounts": outsideAccounts,
  "0015-views": views,
  "0016-events": events,
  "0017-watch": watch,
  "0018-domain-watches": domainWatches,
  "0019-sinks": sinks,
  "0020-shared-signals": sharedSignals,
  "0021-nodes": nodes,
}
export const recordsFormat = Math.max(...Object.keys(migrations).map(numberOf))

const MIGRATIONS = "assay_migration"
/** From here on several programs share the records. */
const NODES_FORMAT = numberOf("0021-nodes")
const BESIDE_OLDER =
  "A service of a version that has to be the only one is connected to these records. " +
  "Stop it, then start this one; nothing was changed"

/** Brings the tables to `recordsFormat` in one transaction, or leaves them as they were. */
export async function migrateRecords(engine: Engine): Promise<void> {
  await engine.migrating(async (write) => {
    const format = await refuseOtherFormats(engine, write)
    if (await isCurrent(engine, write)) return
    // With these tables a second program may begin at once. An older one that is running would go
    // on as the only one, and could not be told: none starts any more, but it does not look again.
    if (format > 0 && format < NODES_FORMAT && (await engine.isUsedByOlder(write)))
      throw new RecordsError("unavailable", BESIDE_OLDER)
    const { Migrator } = await import("kysely/migration")
    const { error } = await new Migrator({
      db: write,
      provider: { getMigrations: async () => numbered(engine) },
      // Kysely's own names would clash with another program's in a shared schema.
      migrationTableName: MIGRATIONS,
      migrationLockTableName: "assay_migration_lock",
    }).migrateToLatest()
    if (error !== undefined) throw error as Error
  })
}

/**
 * Whether every migration has run, and no other. Kysely's migrator asks for the columns of all
 * tables first, several times: a tenth of each command that opens the records.
 */
async function isCurrent(engine: Engine, db: Database): Promise<boolean> {
  if (!(await engine.tableExists(db, MIGRATIONS))) return false
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATIONS)}`.execute(
    db,
  )
  const ran = new Set(rows.map(({ name }) => name))
  return ran.symmetricDifference(new Set(Object.keys(migrations))).size === 0
}

/**
 * Throws when a newer program has changed the tables in ways this one does not know, and when their
 * identity keys were made by identity/v1. Nothing has been written then. Returns the format; 0:
 * there are no tables.
 */
export async function refuseOtherFormats(engine: Engine, db: Database): Promise<number> {
  if (!(await engine.tableExists(db, "meta"))) return 0
  const rows = await db
    .selectFrom("meta")
    .selectAll()
    .where("name", "in", ["format", "key_check_value"])
    .execute()
  const noted = new Map(rows.map(({ name, value }) => [name, value]))
  const format = Number(noted.get("format") ?? 0)
  if (format > recordsFormat) {
    throw new RecordsError(
      "newer-format",
      `The records are in format ${format} and this program knows formats up to ${recordsFormat}: ` +
        "run the newer program, or restore a backup from before it was installed",
    )
  }
  if (hasOldKeys(noted.get("key_check_value") ?? "")) {
    throw new RecordsError(
      "old-keys",
      oldKeysSentence(
        "This database of records",
        "Make a new data directory (with PostgreSQL also a new database)",
      ),
    )
  }
  return format
}

function numbered({ columns, auditKey }: Engine): Record<string, Migration> {
  return Object.fromEntries(
    Object.entries(migrations).map(([name, migration]) => {
      const up = async (db: Kysely<unknown>): Promise<void> => {
        await migration(db, columns, auditKey)
        await sql`
          insert into meta (name, value) values ('format', ${String(numberOf(name))})
          on conflict (name) do update set value = excluded.value`.execute(db)
      }
      return [name, { up }]
    }),
  )
}

function numberOf(name: string): number {
  return Number(name.slice(0, 4))
}
