import type { Config } from "../config.ts"
import { lockDataDirectory, openDataDirectory } from "../data-directory.ts"
import { callRunningServer } from "../process/control-socket.ts"
import { recordsOver } from "../process/records-writer.ts"
import { openSecrets } from "../secrets.ts"
import { openPostgresRecords } from "../stores/postgres/records.ts"
import type { Records } from "../stores/records.ts"
import { openSqliteRecords } from "../stores/sqlite/records.ts"
import { CommandError } from "./terminal.ts"

/**
 * Runs `work` on the records: through the running server, which is their only writer, or, where none runs, on our own
 * under the same lock.
 */
export async function withRecords<T>(
  config: Config,
  work: (records: Records) => Promise<T>,
): Promise<T> {
  const directory = openDataDirectory(config.dataDirectory)
  const server = await callRunningServer(directory.controlSocket)
  if (server !== null) return await work(recordsOver(server.call)).finally(server.close)

  const lock = lockDataDirectory(directory.path)
  if (lock === null)
    throw new CommandError(
      `The server on ${directory.path} is starting or stopping; try again in a moment`,
    )
  try {
    const secrets = openSecrets(config.secretFile, config.secretMayBeMade)
    const { databaseUrl: url } = config
    const records =
      url === null
        ? await openSqliteRecords({ file: directory.records })
        : await openPostgresRecords({ url, poolMax: 1 })
    try {
      await records.migrate()
      await records.checkKeyCheckValue(secrets.checkValue)
      return await work(records)
    } finally {
      await records.close()
    }
  } finally {
    lock.release()
  }
}
