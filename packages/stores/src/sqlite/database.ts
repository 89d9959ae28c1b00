// Apart from the records, so that a store without a query builder does not load one.
import { chmod, open } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import type { RecordsFault } from "../records-error.ts"

/** How long a writer waits for another one. */
export const busyTimeoutMs = 5_000

/**
 * A file in WAL mode, made if missing, that only its owner may read. One with long rows is made
 * with larger pages, which costs fewer writes.
 */
export async function openDatabase(
  file: string,
  readOnly: boolean,
  pageBytes = 4096,
): Promise<DatabaseSync> {
  // SQLite gives the log beside the file the same mode, so it is private too.
  if (!readOnly) {
    await (await open(file, "a", 0o600)).close()
    await chmod(file, 0o600)
  }
  const database = new DatabaseSync(file, { readOnly, timeout: busyTimeoutMs })
  try {
    database.exec("pragma foreign_keys = on; pragma temp_store = memory")
    if (readOnly) return database
    // Changes nothing in a file that has tables.
    database.exec(`pragma page_size = ${pageBytes}`)
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

const foreignKeyFailed = 787
const readonlyFailed = 8

/** What an error of the engine means to a caller. */
export function faultOf(error: unknown): RecordsFault {
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) : 0
  if (code === foreignKeyFailed) return "not-found"
  // Extended codes carry the primary code in their low byte.
  return (code & 0xff) === readonlyFailed ? "read-only" : "unavailable"
}
