import { type Config, readConfig } from "../base/config.ts"
import { lockDataDirectory, openDataDirectory } from "@assay/runtime/data-directory"
import { callRunningServer } from "@assay/runtime/control-socket"
import { remote } from "@assay/runtime/rpc"
import { recordsFault } from "../base/records-fault.ts"
import { recordsPort } from "../run/ports.ts"
import { openSecrets } from "@assay/runtime/secrets"
import { openRecords } from "@assay/stores/open/open-database"
import type { Records } from "@assay/stores/records"
import { CommandError, type Terminal } from "./terminal.ts"

/**
 * Runs `work` on the records: through the running server, which is their only writer, or, where
 * none runs, on our own under the same lock.
 */
export async function withRecords<T>(
  config: Config,
  work: (records: Records) => Promise<T>,
  { mayMigrate = true }: { readonly mayMigrate?: boolean } = {},
): Promise<T> {
  const directory = openDataDirectory(config.dataDirectory)
  const server = await callRunningServer(directory.controlSocket)
  if (server !== null)
    return await work(remote(recordsPort, server.call, recordsFault)).finally(server.close)

  const lock = lockDataDirectory(directory.path)
  if (lock === null)
    throw new CommandError(
      `The server on ${directory.path} is starting or stopping; try again in a moment`,
    )
  try {
    const secrets = openSecrets(config.secretFile, config.secretMayBeMade)
    const records = await openRecords(config, { auditKey: secrets.subkeys.audit })
    try {
      if (mayMigrate) await records.migrate()
      await records.checkKeyCheckValue(secrets.checkValue)
      return await work(records)
    } finally {
      await records.close()
    }
  } finally {
    lock.release()
  }
}

/** Notes in the audit trail what a command is about to do: what cannot be noted is not done. */
export async function noteAct(
  { env, now, user }: Terminal,
  action: string,
  subject: string,
  detail: Record<string, unknown>,
): Promise<void> {
  await withRecords(readConfig(env), (records) =>
    records.addAudit({ at: now(), actor: user, action, subject, detail }),
  )
}
