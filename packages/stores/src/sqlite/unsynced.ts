import { type Kysely, sql, type Transaction } from "kysely"

/**
 * Runs `work` in a transaction for which SQLite does not wait for the disk; the next one that is
 * synced takes it there. A failed one leaves the connection synced as well.
 */
export async function unsynced<Schema, T>(
  db: Kysely<Schema>,
  work: (write: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  return await db.connection().execute(async (connection) => {
    await sql`pragma synchronous = normal`.execute(connection)
    try {
      return await connection.transaction().execute(work)
    } finally {
      await sql`pragma synchronous = full`.execute(connection)
    }
  })
}
