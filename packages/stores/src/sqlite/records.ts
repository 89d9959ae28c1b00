import { Kysely, sql } from "kysely"

import { type RecordsCopy, recordsCopy } from "../records-copy.ts"
import { explained, type Database, type Engine } from "../records-engine.ts"
import type { Schema } from "../records-schema.ts"
import { openSqlRecords } from "../records-sql.ts"
import type { Records } from "../records.ts"
import { faultOf, openDatabase } from "./database.ts"
import { nodeSqliteDialect } from "./dialect.ts"
import { unsynced } from "./unsynced.ts"

/**
 * Records in one file, made if missing. Several processes may have it open; one writes at a time.
 */
export async function openSqliteRecords(options: {
  file: string
  readOnly?: boolean
}): Promise<Records> {
  const { file, readOnly = false } = options
  const database = await explained({ faultOf }, () => openDatabase(file, readOnly))
  return openSqlRecords(sqliteEngine(new Kysely<Schema>({ dialect: nodeSqliteDialect(database) })))
}

/** The rows of such a file, to be copied or put back. */
export async function copySqliteRecords(options: {
  file: string
  readOnly: boolean
}): Promise<RecordsCopy> {
  const database = await explained({ faultOf }, () => openDatabase(options.file, options.readOnly))
  return recordsCopy(sqliteEngine(new Kysely<Schema>({ dialect: nodeSqliteDialect(database) })))
}

function sqliteEngine(db: Database): Engine {
  return {
    db,
    columns: {
      integer: "integer",
      text: "text",
      bytes: "blob",
      identity: (column) => column.primaryKey().autoIncrement(),
      tableEnd: sql`strict`,
    },
    migrating: (work) => db.transaction().execute(work),
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
    // Pages from before the deletion are still in the log: it is folded into the file and emptied.
    async scrub() {
      await sql`pragma wal_checkpoint(truncate)`.execute(db)
    },
  }
}
