import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { readConfig } from "../base/config.ts"
import type { LookProgress } from "@assay/corpus/engine/examine"
import { ImportFailure } from "@assay/corpus/engine/import-failure"
import { takeImportTurn } from "@assay/corpus/import-lock"
import {
  beginRekeying,
  completeRekeying,
  countLeftBehind,
  type LeftBehind,
  refuseForeignDirectory,
} from "../upkeep/rekey-directory.ts"
import { type GivenInput, planRekey, type RekeyPlan } from "../upkeep/rekey-plan.ts"
import { digestInputs, openRekeyed, rekeyBatches, type RekeyedBatch } from "../upkeep/rekey.ts"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { openSecrets } from "@assay/runtime/secrets"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { indexAt } from "@assay/stores/open/open-index"
import { type ImportProcess, memoryOf, UNFINISHED } from "./corpus-import.ts"
import { showImportProgress } from "./corpus-import-progress.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface RekeyOptions {
  readonly into: string
  readonly secret: string
  readonly memory: string
  readonly withoutMissing?: boolean
  readonly forgetErasures?: boolean
  readonly yes?: boolean
}

const INTERRUPTED = 130

/**
 * Makes a second data directory under another master secret, from the files the first was made
 * from.
 */
export async function rekey(
  paths: readonly string[],
  options: RekeyOptions,
  terminal: Terminal,
  host: ImportProcess,
): Promise<void> {
  const stopping = new AbortController()
  for (const signal of ["SIGINT", "SIGTERM"] as const) host.once(signal, () => stopping.abort())
  try {
    await rekeyUntilStopped(paths, options, terminal, host, stopping.signal)
  } catch (error) {
    const failure = error instanceof ImportFailure ? error : null
    if (stopping.signal.aborted || failure?.code === "stopped") {
      throw new CommandError("Stopped; the same command goes on from here", {
        cause: error,
        exitCode: INTERRUPTED,
      })
    }
    if (failure === null) throw error
    const exitCode = failure.code === "unfinished" ? UNFINISHED : 1
    throw new CommandError(failure.message, { cause: failure, exitCode })
  }
}

async function rekeyUntilStopped(
  paths: readonly string[],
  options: RekeyOptions,
  terminal: Terminal,
  host: ImportProcess,
  signal: AbortSignal,
): Promise<void> {
  const config = readConfig(terminal.env)
  const memoryMb = memoryOf(options.memory)
  if (indexAt(config).files === null) {
    throw new CommandError(
      "The index is in a cluster: with the new secret import the files into an index of another name there",
    )
  }
  if (!existsSync(join(config.dataDirectory, "index")))
    throw new CommandError(`Nothing was imported into ${config.dataDirectory}`)
  const from = openDataDirectory(config.dataDirectory)
  const oldSecrets = openSecrets(config.secretFile, false)
  const into = resolve(options.into)
  const secretFile = resolve(options.secret)
  refuseForeignDirectory(into, secretFile)

  // Nothing may be imported or compacted in the old directory meanwhile; a service may run on it.
  const turn = await takeImportTurn(from, {
    self: { pid: host.pid, startedAtMs: terminal.now() },
    wait: false,
    signal,
    onWait: () => undefined,
  })
  try {
    refuseUnconfirmed(await countLeftBehind(config), options)
    terminal.note("Reading the files, to know which they are …")
    const given = await digestAll(paths, terminal, host, signal)
    const plan = planRekey(await oldCatalogue(from.index, oldSecrets.checkValue), given)
    for (const path of plan.unused) terminal.note(`No batch was imported from ${path}`)
    refuseMissing(plan, options, terminal)

    const secrets = openSecrets(secretFile, true)
    if (secrets.checkValue === oldSecrets.checkValue)
      throw new CommandError("--secret names the master secret that is in use")
    const { directory, lock } = await beginRekeying(into, oldSecrets, secrets)
    const progress = showImportProgress(host.stderr, terminal.now)
    try {
      const reach = { directory, secrets, program: host, pid: host.pid, now: terminal.now }
      // Also if there is nothing to import: a directory without an index looks like one that lost
      // it.
      await (await openRekeyed(reach)).close()
      const rekeyed = await rekeyBatches(plan, {
        ...reach,
        signal,
        user: terminal.user,
        memoryMb,
        watch: {
          waits: () => undefined,
          examined: (_, { name }) => terminal.note(`Importing from ${name} …`),
          resumes: () => terminal.note("Going on with what an earlier try has read."),
          progress: progress.update,
          compacts: (done, total) =>
            progress.update({ phase: "compacting", rows: done, done, total }),
          unfinished: () => undefined,
        },
      })
      await completeRekeying(
        { config, directory: from },
        { directory, secrets },
        {
          at: terminal.now(),
          actor: terminal.user,
          action: "corpus.rekey",
          subject: "service",
          detail: { batches: rekeyed.length, left_out: plan.missing.length },
        },
      )
      progress.hide()
      printOutcome(rekeyed, into, terminal)
    } finally {
      progress.hide()
      lock.release()
    }
  } finally {
    turn.release()
  }
}

async function digestAll(
  paths: readonly string[],
  terminal: Terminal,
  host: ImportProcess,
  signal: AbortSignal,
): Promise<GivenInput[]> {
  const { update, hide } = showImportProgress(host.stderr, terminal.now)
  const showBytes = ({ bytes, totalBytes }: LookProgress): void =>
    update({ phase: "examining", rows: 0, done: bytes, total: totalBytes })
  return await digestInputs(paths, { program: host, signal }, showBytes).finally(hide)
}

async function oldCatalogue(
  path: string,
  checkValue: string,
): Promise<Parameters<typeof planRekey>[0]> {
  const index = await openLmdbIndex({ path, readOnly: true })
  try {
    await index.checkKeyCheckValue(checkValue)
    return await index.catalogue()
  } finally {
    await index.close()
  }
}

/** Before anything is read or written: shows what a new secret costs, and asks for consent. */
function refuseUnconfirmed(
  { feedback, evidence, notifications, watch_items, webhooks, tombstones }: LeftBehind,
  { yes = false, forgetErasures = false }: RekeyOptions,
): void {
  if (tombstones > 0 && !forgetErasures) {
    throw new CommandError(
      `${number(tombstones)} erased identities are known under the old secret only: in the new directory they would come back. Erase them there again, from your own list of them; with --forget-erasures it is done without them`,
    )
  }
  if (yes) return
  throw new CommandError(
    `Left behind, because all of it is under keys that only the old secret makes: ${number(feedback)} reports of tenants, ${number(evidence)} lines of their evidence, ${number(notifications)} notifications of carriers, ${number(watch_items)} watched identities, ${number(webhooks)} webhooks with their secrets, all events and decisions, and since when a tenant knows an identity. With --yes it is done; the old directory stays as it is`,
  )
}

const LACKS = {
  files: "not all of its files are given",
  recipe: "it is not known which files it was imported from",
} as const

function refuseMissing(
  { missing }: RekeyPlan,
  { withoutMissing = false }: RekeyOptions,
  terminal: Terminal,
): void {
  for (const { batch, source, lacks } of missing)
    terminal.note(
      `Batch ${batch.id} of ${source.name}, ${number(batch.rows)} rows: ${LACKS[lacks]}`,
    )
  if (missing.length === 0 || withoutMissing) return
  const batches = missing.length === 1 ? "1 batch" : `${missing.length} batches`
  throw new CommandError(
    `${batches} cannot be imported again. Name the files as they were named for the import; with --without-missing it is done without them`,
  )
}

function printOutcome(rekeyed: readonly RekeyedBatch[], into: string, terminal: Terminal): void {
  const isSame = ({ before, rows, identities }: RekeyedBatch): boolean =>
    before.rows === rows && before.identities === identities
  const lines = rekeyed.map((each) => [
    each.source.name,
    String(each.before.id),
    number(each.before.rows),
    number(each.rows),
    number(each.before.identities),
    number(each.identities),
    isSame(each) ? "same" : "differs",
  ])
  table(["SOURCE", "BATCH", "ROWS", "NOW", "IDENTITIES", "NOW", ""], lines).forEach(terminal.print)
  terminal.print(`${into} is complete.`)
  const different = rekeyed.filter((each) => !isSame(each)).length
  if (different > 0) {
    throw new CommandError(
      `${different} of ${rekeyed.length} batches are not what they were; look at them before you use the directory`,
    )
  }
}

function number(value: number): string {
  return value.toLocaleString("en")
}
