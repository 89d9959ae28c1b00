import type { Config } from "../base/config.ts"
import type { DataDirectory } from "@assay/runtime/data-directory"
import { copyPostgresRecords } from "@assay/stores/postgres/records"
import type { CopiedRow } from "@assay/stores/records-copy"
import { copySqliteRecords } from "@assay/stores/sqlite/records"

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
