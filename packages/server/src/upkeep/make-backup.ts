import { constants, copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { isMissing } from "@assay/runtime/if-present"
import { syncTree, writeDurably } from "@assay/runtime/durable-files"
import { takeImportTurn } from "@assay/corpus/import-lock"
import type { DataDirectory } from "@assay/runtime/data-directory"
import { unfoldedDecisions } from "../decisions/fold.ts"
import type { Secrets } from "@assay/runtime/secrets"
import type { DatabasePlace } from "@assay/stores/database"
import type { Catalogue, ExposureIndex } from "@assay/stores/exposure-index"
import { openDecisions } from "@assay/stores/open/open-database"
import { VERSION } from "../base/version.ts"
import { decisionLine } from "./decision-lines.ts"
import { eachRecord } from "./each-record.ts"
import { jsonLines } from "./lines.ts"
import { BACKUP_FORMAT, filesUnder, MANIFEST, type Manifest } from "./manifest.ts"
import { typedCommand } from "@assay/runtime/typed-command"
import { Explained } from "@assay/runtime/explained"

/** What a backup consists of, by name in its folder. */
export const PARTS = {
  records: "records.ndjson",
  decisions: "decisions.ndjson",
  index: "index",
  segments: "segments",
  lists: "lists",
  models: "models",
} as const

export interface BackupReach {
  readonly config: DatabasePlace
  readonly directory: DataDirectory
  readonly secrets: Secrets
  readonly pid: number
  readonly now: () => number
  readonly signal: AbortSignal
  openIndex(): Promise<ExposureIndex>
  /** Called with what is being copied. */
  readonly note: (line: string) => void
}

const DECISIONS_AT_ONCE = 1_000

/**
 * Copies all that the service holds into a new folder, beside a service that runs or not:
 * decisions, then the index as of one moment, then the records as of a later one, then the segments
 * that the index names. Imports and compactions wait meanwhile. What reaches the service between
 * the moments is in the records, and the restore applies these to the index, so that no report is
 * half there.
 *
 * Never in it: the master secret, the drop, journals of the last seconds' sign-ups, compiled code.
 */
export async function makeBackup(folder: string, reach: BackupReach): Promise<Manifest> {
  const { directory, secrets, now, note } = reach
  requireNew(folder)
  const lock = await takeImportTurn(directory, {
    self: { pid: reach.pid, startedAtMs: now() },
    wait: true,
    signal: reach.signal,
    onWait: () => note("Waiting for an import to end …"),
  })
  try {
    const startedAtMs = now()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    note("Copying decisions …")
    await copyDecisions(join(folder, PARTS.decisions), reach)
    note("Copying the index …")
    const live = await copyIndex(join(folder, PARTS.index), reach)
    note("Copying records …")
    await copyRecords(join(folder, PARTS.records), reach)
    copyFiles(directory.lists, join(folder, PARTS.lists))
    copyFiles(directory.models, join(folder, PARTS.models))
    note("Copying segments …")
    copySegments(live, directory.segments, join(folder, PARTS.segments))
    syncTree(folder)
    note("Computing checksums …")
    const manifest: Manifest = {
      format: BACKUP_FORMAT,
      program: VERSION,
      created_at: new Date(startedAtMs).toISOString(),
      key_check_value: secrets.checkValue,
      demo: directory.demo,
      files: await filesUnder(folder),
    }
    await writeDurably(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
    return manifest
  } finally {
    lock.release()
  }
}

function requireNew(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Explained("backup", `${folder} is not empty; a backup takes a folder of its own`)
}

/** Copies the index and returns the names of the segments that its live batches rest on. */
async function copyIndex(to: string, reach: BackupReach): Promise<ReadonlySet<string>> {
  const index = await reach.openIndex()
  try {
    const before = liveSegments(await index.catalogue())
    if (!(await index.copyTo(to)))
      throw new Explained("backup", "The index lies elsewhere than in files and cannot be copied")
    const live = liveSegments(await index.catalogue())
    // The copy may still need segments that are deleted by now.
    if (!before.isSubsetOf(live))
      throw new Explained("backup", "A source was removed while the backup was made; make it again")
    return live
  } finally {
    await index.close()
  }
}

function liveSegments({ batches }: Catalogue): ReadonlySet<string> {
  return new Set(
    [...batches.values()].flatMap(({ state, segment }) =>
      state === "live" && segment != null ? [segment.file] : [],
    ),
  )
}

async function copyRecords(path: string, { config }: BackupReach): Promise<void> {
  const lines = jsonLines(path)
  await eachRecord(config, (row) => lines.put(row))
  await lines.end()
}

async function copyDecisions(path: string, { config, directory }: BackupReach): Promise<void> {
  const lines = jsonLines(path)
  // Read before the store: what is folded in between is then in both, and adding it twice changes
  // nothing.
  for (const decision of unfoldedDecisions(directory.journal))
    await lines.put(decisionLine(decision))
  const store = await openDecisions(config)
  try {
    for (let after: string | null = null; ;) {
      const page = await store.page({ after, limit: DECISIONS_AT_ONCE })
      for (const decision of page) await lines.put(decisionLine(decision))
      after = page.at(-1)?.id ?? null
      if (page.length < DECISIONS_AT_ONCE) break
    }
  } finally {
    await store.close()
  }
  await lines.end()
}

function copySegments(names: ReadonlySet<string>, from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const name of names) {
    try {
      copyFileSync(join(from, name), join(to, name), constants.COPYFILE_FICLONE)
    } catch (cause) {
      if (!isMissing(cause)) throw cause
      throw new Explained(
        "backup",
        `A segment of a live batch is missing. If its source was removed just now, make the backup again; else ${typedCommand("corpus verify")} names it`,
        { cause },
      )
    }
  }
}

/** Copies the files of a folder; where the file system can, without copying their bytes. */
export function copyFiles(from: string, to: string): void {
  if (!existsSync(from)) return
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isFile())
      copyFileSync(join(from, entry.name), join(to, entry.name), constants.COPYFILE_FICLONE)
  }
}
