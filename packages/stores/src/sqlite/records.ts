import type { DatabaseSync } from "node:sqlite"

import { Kysely, sql } from "kysely"

import { type RecordsCopy, recordsCopy } from "../records-copy.ts"
import { explained, type Database, type Engine } from "../records-engine.ts"
import type { Schema } from "../records-schema.ts"
import { openSqlRecords } from "../records-sql.ts"
import type { Records } from "../records.ts"
import { faultOf, openDatabase } from "./database.ts"
import { nodeSqliteDialect } from "./dialect.ts"
import { rowInserts } from "./row-inserts.ts"
import { unsynced } from "./unsynced.ts"

/**
 * Records in one file, made if missing. Several processes may have it open; one writes at a time.
 */
export async function openSqliteRecords(options: {
  file: string
  readOnly?: boolean
  auditKey?: Uint8Array
  onEvents?: () => void
}): Promise<Records> {
  const { file, readOnly = false, auditKey = null, onEvents } = options
  return openSqlRecords(await openEngine(file, readOnly, auditKey), onEvents)
}

/** The rows of such a file, to be copied or put back. */
export async function copySqliteRecords(options: {
  file: string
  readOnly: boolean
  auditKey?: Uint8Array
}): Promise<RecordsCopy> {
  const { file, readOnly, auditKey = null } = options
  return recordsCopy(await openEngine(file, readOnly, auditKey))
}

async function openEngine(
  file: string,
  readOnly: boolean,
  auditKey: Uint8Array | null,
): Promise<Engine> {
  const database = await explained({ faultOf }, () => openDatabase(file, readOnly))
  const db = new Kysely<Schema>({ dialect: nodeSqliteDialect(database) })
  return sqliteEngine(db, database, auditKey)
}

function sqliteEngine(db: Database, database: DatabaseSync, auditKey: Uint8Array | null): Engine {
  return {
    db,
    auditKey,
    columns: {
      integer: "integer",
      text: "text",
      bytes: "blob",
      identity: (column) => column.primaryKey().autoIncrement(),
      tableEnd: sql`strict`,
      appendOnly: [
        sql`create trigger audit_kept_as_is before update on audit begin
          select raise(abort, 'entries of the audit trail are not changed'); end`,
        // What a cut removes is named in `meta` before, in the same transaction.
        sql`create trigger audit_kept before delete on audit
          when old.id > coalesce(
            (select cast(value as integer) from meta where name = 'audit_cut'), 0)
          begin select raise(abort, 'entries of the audit trail are not removed'); end`,
      ],
    },
    migrating: (work) => db.transaction().execute(work),
    // A service holds its data directory.
    isUsedByOlder: async () => false,
    async tableExists(reader, name) {
      const found = await sql`
        select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(reader)
      return found.rows.length > 0
    },
    faultOf,
    unsynced: (work) => unsynced(db, work),
    // Not one of Kysely's transactions, which take the write lock: a file may be open for reading
    // only.
    snapshot: (work) =>
      db.connection().execute(async (connection) => {
        await sql`begin`.execute(connection)
        try {
          return await work(connection)
        } finally {
          await sql`rollback`.execute(connection)
        }
      }),
    withOwnIdentities: sql``,
    // SQLite itself counts on from the highest number a row ever had.
    advanceIdentities: async () => {},
    // Transactions take the write lock when they begin, so each is already alone.
    takeTurn: async () => {},
    ...rowInserts(database),
    databaseMs: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
    forShare: sql``,
    forUpdate: sql``,
    skipLocked: sql``,
    // Pages from before the deletion are still in the log: it is folded into the file and emptied.
    async scrub() {
      await sql`pragma wal_checkpoint(truncate)`.execute(db)
    },
  }
}
