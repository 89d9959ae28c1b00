import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { makeBackup } from "../upkeep/make-backup.ts"
import type { Manifest } from "../upkeep/manifest.ts"
import { restoreBackup } from "../upkeep/restore-backup.ts"
import { type Config, readConfig } from "../base/config.ts"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { openSecrets } from "@assay/runtime/secrets"
import { indexAt } from "@assay/stores/open/open-index"
import { openIndexForCommand } from "../upkeep/open-index.ts"
import { readTombstones } from "../subjects/tombstone-file.ts"
import { withRecords } from "./records-access.ts"
import { CommandError, type Terminal } from "./terminal.ts"
import { replays } from "../run/features.ts"

/** Copies all that the service holds into a new folder, while it runs or not. */
export async function backUp(
  folder: string,
  terminal: Terminal,
  host: { readonly pid: number; once(signal: "SIGINT", listener: () => void): unknown },
): Promise<void> {
  const config = readConfig(terminal.env)
  if (indexAt(config).files === null) {
    throw new CommandError(
      "The index is in a cluster, of which a backup would hold nothing. Keep what it is made anew from: docs/operating.md, Backup of several nodes",
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
    openIndex: () => openIndexForCommand(config, { readOnly: true }),
    note: terminal.note,
  })
  await noteBackup(config, terminal, manifest)
  terminal.print(`${summary(manifest)} in ${folder}`)
  terminal.print("It does not hold the master secret: without that it cannot be restored.")
  terminal.print(
    `It does not hold who is erased from now on: keep ${config.tombstonesFile}, a restore asks for it.`,
  )
}

/**
 * A copy of everything was made, which should be known. Records of an older version are left as
 * they are: people make backups before they start a newer one.
 */
async function noteBackup(config: Config, terminal: Terminal, manifest: Manifest): Promise<void> {
  const [at, actor, bytes] = [terminal.now(), terminal.user, bytesOf(manifest)]
  await withRecords(
    config,
    async (records) => {
      if ((await records.auditEnds()).head === null)
        terminal.note("The records are of an older version: the backup is not in the audit trail")
      else
        await records.addAudit({
          ...{ at, actor, action: "backup.make", subject: "service" },
          detail: { made: manifest.created_at, bytes },
        })
    },
    { mayMigrate: false },
  )
}

/** Puts a backup into an empty data directory. */
export async function restore(
  folder: string,
  options: { readonly withoutTombstones?: boolean },
  terminal: Terminal,
): Promise<void> {
  const config = readConfig(terminal.env)
  if (indexAt(config).files === null)
    throw new CommandError("A backup is restored into a data directory: unset ASSAY_INDEX_URL")
  const secrets = openSecrets(config.secretFile, false)
  const { tombstonesFile } = config
  const { manifest, tombstones: erased } = await restoreBackup(resolve(folder), {
    config,
    secrets,
    async tombstones() {
      if (options.withoutTombstones === true) return []
      const tombstones = await readTombstones(tombstonesFile, secrets.checkValue)
      if (tombstones === null) throw new CommandError(noTombstones(tombstonesFile))
      return tombstones
    },
    replays,
    user: terminal.user,
    now: terminal.now,
    note: terminal.note,
  })
  terminal.print(
    `${summary(manifest)}, of ${manifest.created_at}, restored to ${config.dataDirectory}`,
  )
  terminal.print(
    options.withoutTombstones === true
      ? "Nobody was erased again: repeat every erasure that was made after the backup, before you serve it."
      : `Erased where the backup held them: the ${erased} identities of ${tombstonesFile}`,
  )
}

function noTombstones(file: string): string {
  return `There are no tombstones in ${file}: whoever was erased after the backup was made would be back. Put the file there, or name it in ASSAY_TOMBSTONES. With --without-tombstones it is restored without, and you repeat those erasures yourself`
}

function bytesOf({ files }: Manifest): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}

function summary(manifest: Manifest): string {
  const { files } = manifest
  const bytes = bytesOf(manifest)
  return `${files.length} files, ${bytes.toLocaleString("en")} bytes`
}
