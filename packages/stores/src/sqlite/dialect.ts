import { setTimeout as wait } from "node:timers/promises"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type SqliteDatabase,
  type SqliteStatement,
} from "kysely"
import { busyTimeoutMs } from "./database.ts"

const statementsMax = 200
const sqliteBusy = 5

/** Kysely over `node:sqlite`. */
export function nodeSqliteDialect(database: DatabaseSync): Dialect {
  return {
    createDriver: () => new NodeSqliteDriver(database),
    createAdapter: () => new TransactionalSqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

/**
 * Kysely denies SQLite transactional DDL for the sake of old tools; the engine has always had it.
 */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class NodeSqliteDriver extends SqliteDriver {
  readonly #database: DatabaseSync
  constructor(database: DatabaseSync) {
    super({ database: preparing(database) })
    this.#database = database
  }

  /**
   * Takes the write lock at once: a transaction that first reads and then writes would be refused
   * at its first write if another process wrote in between, without any waiting.
   *
   * The wait for that lock leaves the event loop free. Inside SQLite it would stop the whole
   * process, and for the full timeout when the holder is another connection of this process.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    for (const deadlineMs = performance.now() + busyTimeoutMs; ;) {
      try {
        this.#database.exec("pragma busy_timeout = 0")
        await connection.executeQuery(CompiledQuery.raw("begin immediate"))
        return
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadlineMs) throw error
      } finally {
        this.#database.exec(`pragma busy_timeout = ${busyTimeoutMs}`)
      }
      await wait(1 + Math.random() * 9)
    }
  }

  /** SQLite has already rolled back by itself after a full disk or a failed read or write. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection)
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === sqliteBusy
}

/** Keeps prepared statements by their text, the least recently used dropped first. */
function preparing(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = statements.get(sql) ?? adapted(database.prepare(sql))
      statements.delete(sql)
      statements.set(sql, statement)
      if (statements.size > statementsMax) statements.delete(statements.keys().next().value ?? "")
      return statement
    },
  }
}

function adapted(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  }
}
