import { Kysely, PostgresAdapter, PostgresDialect, sql } from "kysely"
import { Pool, types, type PoolConfig } from "pg"

import { type RecordsCopy, recordsCopy } from "../records-copy.ts"
import type { Database, Engine, Write } from "../records-engine.ts"
import { RecordsError, type RecordsFault } from "../records-error.ts"
import type { Schema } from "../records-schema.ts"
import { openSqlRecords } from "../records-sql.ts"
import type { Records } from "../records.ts"

interface PostgresOptions {
  readonly url: string
  readonly poolMax: number
  /**
   * How long a migration waits for a lock: for another process that migrates, or that uses a table
   * it changes.
   */
  readonly migrationWaitMs?: number
}

/** Records in a PostgreSQL database, over at most `poolMax` connections. */
export async function openPostgresRecords(options: PostgresOptions): Promise<Records> {
  return openSqlRecords(postgresEngine(options))
}

/** The rows of such a database, to be copied or put back. */
export function copyPostgresRecords(url: string): RecordsCopy {
  return recordsCopy(postgresEngine({ url, poolMax: 1 }))
}

function postgresEngine({ url, poolMax, migrationWaitMs = 60_000 }: PostgresOptions): Engine {
  const db = connected({ connectionString: url, max: poolMax, ...deadlines })
  return {
    db,
    columns: {
      integer: "bigint",
      text: sql`text collate "C"`,
      bytes: "bytea",
      identity: (column) => column.primaryKey().generatedAlwaysAsIdentity(),
      tableEnd: sql``,
    },
    // On a separate connection, because it may wait for another process and then work for long.
    // There is no limit of ours, so a server that is gone shows only by the connection, which is
    // probed every half minute.
    async migrating(work) {
      const patient = connected({
        connectionString: url,
        max: 1,
        connectionTimeoutMillis: 5_000,
        keepAliveInitialDelayMillis: 30_000,
      })
      try {
        await patient.transaction().execute(async (write) => {
          // A database or an account may have its own limits, meant for ordinary statements.
          await sql`
            set local statement_timeout = 0;
            set local idle_in_transaction_session_timeout = 0;
            set local lock_timeout = ${sql.lit(migrationWaitMs)}`.execute(write)
          await takeLock(write, MIGRATION_LOCK)
          await work(write)
        })
      } catch (error) {
        throw stateOf(error) === LOCK_NOT_AVAILABLE ? inUse(error) : error
      } finally {
        await patient.destroy()
      }
    },
    async tableExists(reader, name) {
      const found = await sql<{ found: boolean }>`
        select to_regclass(${name}) is not null as found`.execute(reader)
      return found.rows[0]?.found === true
    },
    faultOf,
    unsynced: (work) =>
      db.transaction().execute(async (write) => {
        await sql`set local synchronous_commit = off`.execute(write)
        return await work(write)
      }),
    snapshot: (work) => db.transaction().setIsolationLevel("repeatable read").execute(work),
    withOwnIdentities: sql`overriding system value`,
    async advanceIdentities(write) {
      for (const table of ["tenants", "audit"]) {
        await sql`
          select setval(pg_get_serial_sequence(${table}, 'id'), coalesce(max(id), 0) + 1, false)
          from ${sql.table(table)}`.execute(write)
      }
    },
    takeTurn: (write) => takeLock(write, TURN_LOCK),
    scrub: async () => {},
  }
}

// The server ends a statement that runs or waits too long; the client gives up a little later, for
// a server that no longer answers at all.
export const deadlines: PoolConfig = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 15_000,
  idle_in_transaction_session_timeout: 15_000,
  query_timeout: 20_000,
}

export function connected(config: PoolConfig): Database {
  const pool = new Pool({
    application_name: "assay",
    keepAlive: true,
    types: { getTypeParser },
    ...config,
  })
  // A connection lost while idle has already left the pool, and the next call opens another or
  // fails by itself. One lost between two statements of a transaction fails the second. Without
  // these listeners Node would end the process here: the pool itself listens to idle ones only.
  pool.on("error", () => {})
  pool.on("connect", (client) => client.on("error", () => {}))
  return new Kysely<Schema>({ dialect: new LockingDialect({ pool }) })
}

// The numbers only have to be ours.
export const MIGRATION_LOCK = 0x6173_7361
const TURN_LOCK = 0x6173_7362

/** Held until the transaction ends, however it ends. */
async function takeLock(write: Write, lock: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(lock)})`.execute(write)
}

/**
 * Kysely's own migration lock is released before the transaction around it commits, and fails to
 * release in a failed transaction, hiding the reason. `MIGRATION_LOCK` has taken its place.
 */
class LockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

class LockingDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new LockedAdapter()
  }
}

const parsers = new Map<number, (value: string) => unknown>([
  [types.builtins.INT8, safeInteger],
  // A plain array of bytes, as SQLite gives, without the pool of memory behind a Buffer.
  [types.builtins.BYTEA, (value) => new Uint8Array(Buffer.from(value.slice("\\x".length), "hex"))],
])

// Of this pool only: other users of the driver in the process keep its defaults.
const getTypeParser: typeof types.getTypeParser = (type, format): unknown =>
  parsers.get(type) ?? types.getTypeParser(type, format)

function safeInteger(value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new RangeError("An integer exceeds 2^53")
  return number
}

const LOCK_NOT_AVAILABLE = "55P03"

function inUse(cause: unknown): RecordsError {
  return new RecordsError(
    "unavailable",
    "The tables of the records are to be changed and another process holds them: stop it, or wait for it, and start again",
    { cause },
  )
}

function stateOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined
}

/** What an error of the engine means to a caller. */
export function faultOf(error: unknown): RecordsFault {
  const state = stateOf(error)
  if (state === "23503") return "not-found" // foreign_key_violation
  return state === "25006" ? "read-only" : "unavailable" // read_only_sql_transaction
}
