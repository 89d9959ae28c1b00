import { join } from "node:path"
import { openSecrets } from "../../packages/runtime/src/secrets.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import { openSqliteRecords } from "../../packages/stores/src/sqlite/records.ts"

/** The records of a data directory whose secret is in it, as a service has them. */
export async function openRecordsOf(
  dataDirectory: string,
  secretFile = join(dataDirectory, "secret"),
): Promise<Records> {
  const { audit: auditKey } = openSecrets(secretFile, false).subkeys
  return await openSqliteRecords({ file: join(dataDirectory, "records.sqlite"), auditKey })
}
