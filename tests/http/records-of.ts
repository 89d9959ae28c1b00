import { join } from "node:path"
import { openSecrets } from "../../packages/runtime/src/secrets.ts"
import type { Records } from "../../packages/stores/src/records.ts"
import { openPostgresRecords } from "../../packages/stores/src/postgres/records.ts"
import { openSqliteRecords } from "../../packages/stores/src/sqlite/records.ts"
import { storesOf } from "./shared-stores.ts"

/** The records of the service with a data directory, as it has them; its secret is in there. */
export async function openRecordsOf(
  dataDirectory: string,
  secretFile = join(dataDirectory, "secret"),
): Promise<Records> {
  const { audit: auditKey } = openSecrets(secretFile, false).subkeys
  const { DATABASE_URL: url } = await storesOf(dataDirectory)
  if (url !== undefined) return await openPostgresRecords({ url, poolMax: 2, auditKey })
  return await openSqliteRecords({ file: join(dataDirectory, "records.sqlite"), auditKey })
}
