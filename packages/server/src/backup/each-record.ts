import type { Config } from "../config.ts"
import type { DataDirectory } from "../data-directory.ts"
import { copyPostgresRecords } from "../stores/postgres/records.ts"
import type { CopiedRow } from "../stores/records-copy.ts"
import { copySqliteRecords } from "../stores/sqlite/records.ts"

/** Hands over every row of the records of a service, as of one moment; it may run. */
export async function eachRecord(
  { databaseUrl }: Pick<Config, "databaseUrl">,
  directory: Pick<DataDirectory, "records">,
  take: (row: CopiedRow) => void | Promise<void>,
): Promise<void> {
  const copy =
    databaseUrl === null
      ? await copySqliteRecords({ file: directory.records, readOnly: true })
      : copyPostgresRecords(databaseUrl)
  try {
    await copy.rows(take)
  } finally {
    await copy.close()
  }
}
