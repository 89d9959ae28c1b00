import { join } from "node:path"
import type { Database } from "../database.ts"

/** Records and decisions in files of the data directory. */
export function sqliteIn(dataDirectory: string): Database {
  const file = join(dataDirectory, "records.sqlite")
  const directory = join(dataDirectory, "decisions")
  return {
    name: "SQLite",
    async openRecords({ readOnly = false }) {
      const { openSqliteRecords } = await import("./records.ts")
      return await openSqliteRecords({ file, readOnly })
    },
    async copyRecords({ readOnly }) {
      const { copySqliteRecords } = await import("./records.ts")
      return await copySqliteRecords({ file, readOnly })
    },
    openDecisions: async () => (await import("./decisions.ts")).openSqliteDecisions(directory),
    readDecisions: async () => (await import("./decisions.ts")).readSqliteDecisions(directory),
  }
}
