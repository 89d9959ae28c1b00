import { chmod, open } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { Kysely, sql } from "kysely"

import { type RecordsCopy, recordsCopy } from "../records-copy.ts"
import { explained, type Database, type Engine } from "../records-engine.ts"
import type { RecordsFault } from "../records-error.ts"
import type { Schema } from "../records-schema.ts"
import { openRecords } from "../records-sql.ts"
import type { Records } from "../records.ts"
import { busyTimeoutMs, nodeSqliteDialect } from "./dialect.ts"

/** Records in one file, made if missing. Several processes may have it open; one writes at a time. */
export async function openSqliteRecords(options: {
  file: string
  readOnly?: boolean
}): Promise<Records> {
  const { file, readOnly = false } = options
  const database = await explained({ faultOf }, () => openDatabase(file, readOnly))
  return openRecords(sqliteEngine(new Kysely<Schema>({ dialect: nodeSqliteDialect(database) })))
}

/** The rows of such a file, to be copied or put back. */
export async function copySqliteRecords(options: {
  file: string
  readOnly: boolean
}): Promise<RecordsCopy> {
  const database = await explained({ faultOf }, () => openDatabase(options.file, options.readOnly))
  return recordsCopy(sqliteEngine(new Kysely<Schema>({ dialect: nodeSqliteDialect(database) })))
}

/** A file in WAL mode, made if missing, that nobody but its owner may read. */
export async function openDatabase(file: string, readOnly: boolean): Promise<DatabaseSync> {
  // SQLite gives the log beside the file the same mode, so nobody else reads either.
  if (!readOnly) {
    await (await open(file, "a", 0o600)).close()
    await chmod(file, 0o600)
  }
  const database = new DatabaseSync(file, { readOnly, timeout: busyTimeoutMs })
  try {
    database.exec("pragma foreign_keys = on; pragma temp_store = memory")
    if (readOnly) return database
    const mode = database.prepare("pragma journal_mode = wal").get()?.journal_mode
    if (mode !== "wal")
      throw new Error(`The file system cannot hold a shared log (${String(mode)})`)
    // full: an acknowledged write survives a power cut. secure_delete: freed bytes become zeros.
    database.exec("pragma synchronous = full; pragma secure_delete = on")
    return database
  } catch (error) {
    database.close()
    throw error
  }
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
    // Not one of Kysely's transactions, which take the write lock: a file may be open for reading only.
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
    // Pages from before the deletion are still in the log: it is folded into the file and emptied.
    async scrub() {
      await sql`pragma wal_checkpoint(truncate)`.execute(db)
    },
  }
}

const foreignKeyFailed = 787
const readonlyFailed = 8

/** What an error of the engine means to a caller. */
export function faultOf(error: unknown): RecordsFault {
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) : 0
  if (code === foreignKeyFailed) return "not-found"
  // Extended codes carry the primary code in their low byte.
  return (code & 0xff) === readonlyFailed ? "read-only" : "unavailable"
}
