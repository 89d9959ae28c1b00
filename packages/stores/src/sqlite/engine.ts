import { join } from "node:path"
import { namesIn } from "@assay/runtime/if-present"
import type { Database } from "../database.ts"

/** Records and decisions in files of the data directory. */
export function sqliteIn(dataDirectory: string): Database {
  const file = join(dataDirectory, "records.sqlite")
  const directory = join(dataDirectory, "decisions")
  return {
    name: "SQLite",
    isShared: false,
    async openRecords({ readOnly, auditKey, onEvents }) {
      const { openSqliteRecords } = await import("./records.ts")
      return await openSqliteRecords({
        file,
        ...(readOnly && { readOnly }),
        ...(auditKey && { auditKey }),
        ...(onEvents && { onEvents }),
      })
    },
    async copyRecords(use) {
      const { copySqliteRecords } = await import("./records.ts")
      return await copySqliteRecords({ file, ...use })
    },
    mayHoldDecisions: () => namesIn(directory).length > 0,
    async openDecisions({ moveFailed }) {
      const { openSqliteDecisions } = await import("./decisions.ts")
      return openSqliteDecisions(directory, moveFailed)
    },
    readDecisions: async () => (await import("./decisions.ts")).readSqliteDecisions(directory),
  }
}
