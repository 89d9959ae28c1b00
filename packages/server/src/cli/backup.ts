import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { makeBackup } from "../backup/make-backup.ts"
import type { Manifest } from "../backup/manifest.ts"
import { restoreBackup } from "../backup/restore-backup.ts"
import { readConfig } from "../config.ts"
import { openDataDirectory } from "../data-directory.ts"
import { openSecrets } from "../secrets.ts"
import { openIndex } from "../stores/open-index.ts"
import { CommandError, type Terminal } from "./terminal.ts"

/** Copies all that the service holds into a new folder, while it runs or not. */
export async function backUp(
  folder: string,
  terminal: Terminal,
  host: { readonly pid: number; once(signal: "SIGINT", listener: () => void): unknown },
): Promise<void> {
  const config = readConfig(terminal.env)
  if (config.indexCluster !== null) {
    throw new CommandError(
      "The index is in a cluster, of which a backup would hold nothing. Copy the cluster by its own means, with the service stopped, and the data directory beside it",
    )
  }
  if (!existsSync(join(config.dataDirectory, "format.json")))
    throw new CommandError(`No service was ever started on ${config.dataDirectory}`)
  const directory = openDataDirectory(config.dataDirectory)
  const secrets = openSecrets(config.secretFile, false)
  const stopping = new AbortController()
  host.once("SIGINT", () => stopping.abort())
  const manifest = await makeBackup(resolve(folder), {
    config,
    directory,
    secrets,
    pid: host.pid,
    now: terminal.now,
    signal: stopping.signal,
    openIndex: () => openIndex(config, directory, { readOnly: true }),
    tell: terminal.note,
  })
  terminal.print(`${summary(manifest)} in ${folder}`)
  terminal.print("It does not hold the master secret: without that it cannot be restored.")
}

/** Puts a backup into an empty data directory. */
export async function restore(folder: string, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal.env)
  if (config.indexCluster !== null)
    throw new CommandError("A backup is restored into a data directory: unset ASSAY_INDEX_URL")
  const secrets = openSecrets(config.secretFile, false)
  const manifest = await restoreBackup(resolve(folder), {
    config,
    secrets,
    now: terminal.now,
    tell: terminal.note,
  })
  terminal.print(
    `${summary(manifest)}, of ${manifest.created_at}, restored to ${config.dataDirectory}`,
  )
}

function summary({ files }: Manifest): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return `${files.length} files, ${bytes.toLocaleString("en")} bytes`
}
