import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Config } from "../config.ts"
import {
  DataDirectoryError,
  lockDataDirectory,
  openDataDirectory,
  RESTORING,
} from "../data-directory.ts"
import type { Secrets } from "../secrets.ts"
import type { Decision } from "../stores/decisions.ts"
import type { CopiedRow } from "../stores/records-copy.ts"
import { openPostgresDecisions } from "../stores/postgres/decisions.ts"
import { copyPostgresRecords } from "../stores/postgres/records.ts"
import { openSqliteDecisions } from "../stores/sqlite/decisions.ts"
import { copySqliteRecords } from "../stores/sqlite/records.ts"
import { type DecisionLine, decisionOfLine } from "./decision-lines.ts"
import { readJsonLines } from "./lines.ts"
import { PARTS } from "./make-backup.ts"
import { BackupError, checkedManifest, type Manifest } from "./manifest.ts"

export interface RestoreReach {
  readonly config: Pick<Config, "databaseUrl" | "dataDirectory" | "secretFile">
  readonly secrets: Secrets
  /** Brings the index in line with the records just restored; made from segments where the backup has none. */
  readonly settleIndex: (manifest: Manifest) => Promise<void>
  readonly tell: (line: string) => void
}

const DECISIONS_AT_ONCE = 1_000

/**
 * Puts a backup into an empty data directory, after every file was compared with its checksum. A restore that is
 * interrupted leaves a mark that no service starts over; the same command again begins anew.
 */
export async function restoreBackup(folder: string, reach: RestoreReach): Promise<Manifest> {
  const { config, secrets, tell } = reach
  tell("Comparing checksums …")
  const manifest = await checkedManifest(folder)
  if (manifest.key_check_value !== secrets.checkValue)
    throw new BackupError("The backup was made with another master secret; put that one in place")
  emptyPlace(config)
  const mark = join(config.dataDirectory, RESTORING)
  const lock = lockDataDirectory(config.dataDirectory)
  if (lock === null)
    throw new DataDirectoryError(`Another Assay is already running on ${config.dataDirectory}`)
  try {
    writeFileSync(mark, "", { mode: 0o600, flush: true })
    tell("Copying files …")
    for (const part of [PARTS.index, PARTS.segments, PARTS.lists, PARTS.models]) {
      const from = join(folder, part)
      if (existsSync(from)) cpSync(from, join(config.dataDirectory, part), { recursive: true })
    }
    tell("Restoring records …")
    await restoreRecords(folder, config)
    tell("Restoring decisions …")
    await restoreDecisions(folder, config)
    tell("Settling the index …")
    await reach.settleIndex(manifest)
    rmSync(mark)
    const directory = openDataDirectory(config.dataDirectory)
    directory.markIndexed()
    if (manifest.demo) directory.markDemo()
    return manifest
  } finally {
    lock.release()
  }
}

/** The directory with nothing in it but the secret; what an interrupted restore left is taken away. */
function emptyPlace({ dataDirectory, secretFile }: RestoreReach["config"]): void {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const secret = dirname(secretFile) === dataDirectory ? basename(secretFile) : null
  const others = readdirSync(dataDirectory).filter((name) => name !== secret)
  if (others.length > 0 && !others.includes(RESTORING)) {
    throw new BackupError(
      `${dataDirectory} is not empty; a restore never overwrites. Name another directory in ASSAY_DATA`,
    )
  }
  for (const name of others) rmSync(join(dataDirectory, name), { recursive: true })
}

async function restoreRecords(folder: string, config: RestoreReach["config"]): Promise<void> {
  const copy =
    config.databaseUrl === null
      ? await copySqliteRecords({
          file: join(config.dataDirectory, "records.sqlite"),
          readOnly: false,
        })
      : copyPostgresRecords(config.databaseUrl)
  try {
    await copy.restore(readJsonLines<CopiedRow>(join(folder, PARTS.records)))
  } finally {
    await copy.close()
  }
}

async function restoreDecisions(folder: string, config: RestoreReach["config"]): Promise<void> {
  const store =
    config.databaseUrl === null
      ? openSqliteDecisions(join(config.dataDirectory, "decisions"))
      : await openPostgresDecisions({ url: config.databaseUrl, poolMax: 1 })
  try {
    let held: Decision[] = []
    for await (const line of readJsonLines<DecisionLine>(join(folder, PARTS.decisions))) {
      held.push(decisionOfLine(line))
      if (held.length < DECISIONS_AT_ONCE) continue
      await store.add(held)
      held = []
    }
    await store.add(held)
  } finally {
    await store.close()
  }
}
