import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { type Config, readConfig } from "../base/config.ts"
import { compactIfNeeded, rowsOf } from "@assay/corpus/compaction"
import { ImportFailure } from "@assay/corpus/engine/import-failure"
import type { SharedTurn } from "@assay/corpus/import-request"
import { readKeptCatalogue } from "@assay/corpus/kept-catalogue"
import { rebuildCorpus } from "../upkeep/rebuild.ts"
import { recreateIndex } from "../upkeep/recreate.ts"
import { replays } from "../run/features.ts"
import { settleIndex } from "../upkeep/settle-index.ts"
import { forgetVerification } from "@assay/stores/lmdb/verification"
import { parentChannel, type ParentPipe } from "@assay/runtime/channels"
import {
  type DataDirectory,
  lockDataDirectory,
  lockImports,
  openDataDirectory,
} from "@assay/runtime/data-directory"
import { knownIdentities } from "../decisions/known-identities.ts"
import { openSecrets, type Secrets } from "@assay/runtime/secrets"
import { ERASED_FORMAT } from "@assay/stores/decisions"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import { compactLmdbIndex } from "@assay/stores/lmdb/compact"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { countEntries, type IndexFacts, readIndexFacts } from "@assay/stores/lmdb/index-facts"
import { openDecisions, openRecords } from "@assay/stores/open/open-database"
import { indexAt } from "@assay/stores/open/open-index"
import { openIndexForCommand } from "../upkeep/open-index.ts"
import type { Records } from "@assay/stores/records"
import type { CompactionNews } from "../run/keep-compacted.ts"
import { sharedImportTurn } from "./import-turn.ts"
import { number, opened, phases, progressNotes } from "./index-terminal.ts"
import { noteAct, withRecords } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

/** Prints what the index holds and what it takes. */
export async function printCorpusStats(terminal: Terminal): Promise<void> {
  const { directory } = opened(terminal)
  const facts = await readIndexFacts(directory.index)
  const { kinds, erased } = await countEntries(directory.index, progressNotes(terminal, "reading"))
  const rows = statRows(facts, await segmentSizes(directory.segments), erased)
  table(["corpus", ""], rows).forEach(terminal.print)
  if (kinds.size === 0) return
  terminal.print("")
  const byCount = [...kinds].sort(([, a], [, b]) => b - a)
  table(
    ["KIND", "ENTRIES"],
    byCount.map(([kind, count]) => [kind, number(count)]),
  ).forEach(terminal.print)
}

/**
 * Writes the index anew without what is gone; with `ifNeeded` only where that is due. A service
 * that started it is told how far it is.
 */
export async function compactIndex(
  { ifNeeded = false }: { ifNeeded?: boolean },
  terminal: Terminal,
  host: ParentPipe,
): Promise<void> {
  const { directory } = opened(terminal)
  await exclusively(directory, async () => {
    const notes = progressNotes(terminal, "compacting")
    const service = parentChannel(host)
    const onProgress = (done: number, total: number): void => {
      notes(done, total)
      service.send({ compacted: { done, total } } satisfies CompactionNews)
    }
    const request = { path: directory.index, now: terminal.now, onProgress }
    const done = ifNeeded ? await compactIfNeeded(request) : await compactLmdbIndex(request)
    terminal.print(
      done === null
        ? "The index need not be compacted"
        : `${number(done.bytesBefore)} bytes before, ${number(done.bytesAfter)} now`,
    )
  })
}

/**
 * Makes an index that is gone, or cannot be read, anew from segments, decisions and records. What
 * stood in its place is kept beside it. The service must not run.
 */
async function recreateLostIndex(terminal: Terminal): Promise<void> {
  const config = readConfig(terminal.env)
  const lock = lockDataDirectory(config.dataDirectory)
  if (lock === null) throw new CommandError("A service runs here; stop it first")
  try {
    const { files } = indexAt(config)
    if (files !== null) setIndexAside(files, terminal)
    const directory = openDataDirectory(config.dataDirectory)
    const secrets = openSecrets(config.secretFile, false)
    const kept = readKeptCatalogue(directory.path)
    if (kept === null)
      throw new CommandError("No catalogue of segments was kept here: restore a backup instead")
    await exclusively(directory, async () => {
      // Other nodes may import into the same index.
      const turn = await takeSharedTurn(config, secrets)
      const index = await openIndexForCommand(config, { readOnly: false }).catch(
        async (error: unknown) => {
          await turn?.release()
          throw error
        },
      )
      try {
        await index.checkKeyCheckValue(secrets.checkValue)
        const rows = await recreateIndex({
          index,
          kept,
          segments: directory.segments,
          keyCheckValue: secrets.checkValue,
          ...phases(terminal, "rebuilding"),
        })
        await turn?.require()
        const known = await notePastDecisions(config, index)
        const { identities, erased } = await withOwnRecords(config, secrets, async (records) => {
          const [at, actor] = [terminal.now(), terminal.user]
          const detail = { lost_index: true }
          await records.addAudit({
            at,
            actor,
            action: "corpus.rebuild",
            subject: "service",
            detail,
          })
          return await settleIndex(records, index, replays, at)
        })
        directory.markIndexed()
        rmSync(join(directory.index, RECREATING), { force: true })
        terminal.print(
          `${number(rows)} rows of segments, ${number(known)} decisions, ${settled(identities)} identities, ${number(erased)} erased`,
        )
      } finally {
        await index.close()
        await turn?.release()
      }
    })
  } finally {
    lock.release()
  }
}

/** The turn among several nodes; null where there is one. */
async function takeSharedTurn(config: Config, secrets: Secrets): Promise<SharedTurn | null> {
  const take = sharedImportTurn(config, secrets)
  if (take === null) return null
  try {
    return await take({ wait: false, signal: new AbortController().signal })
  } catch (error) {
    throw error instanceof ImportFailure ? new CommandError(error.message, { cause: error }) : error
  }
}

/** Renames the old index, unless it is one that an interrupted recreation began. */
function setIndexAside(place: string, terminal: Terminal): void {
  const begun = join(place, RECREATING)
  if (!existsSync(begun)) {
    if (existsSync(place)) {
      const aside = `${place}.lost-${new Date(terminal.now()).toISOString().replace(/[:.]/g, "-")}`
      renameSync(place, aside)
      terminal.note(`What was in the place of the index is now ${aside}`)
    }
    mkdirSync(place, { mode: 0o700 })
    writeFileSync(begun, "", { mode: 0o600 })
  }
}

/** Lies beside an index while it is being made anew: the same command again goes on with it. */
const RECREATING = "recreated"
const DECISIONS_AT_ONCE = 1_000

/** Notes in the index again since when each tenant knows the identities it asked about. */
async function notePastDecisions(config: Config, index: ExposureIndex): Promise<number> {
  const decisions = await openDecisions(config)
  const note = knownIdentities(index)
  let count = 0
  try {
    for (let after: string | null = null; ;) {
      const page = await decisions.page({ after, limit: DECISIONS_AT_ONCE })
      const held = page.filter(({ format }) => format !== ERASED_FORMAT)
      await note(held.map((decision) => ({ ...decision, atMs: decision.at })))
      count += held.length
      after = page.at(-1)?.id ?? null
      if (page.length < DECISIONS_AT_ONCE) return count
    }
  } finally {
    await decisions.close()
  }
}

/** The command holds the lock of the directory itself here. */
async function withOwnRecords<T>(
  config: Config,
  { subkeys }: Secrets,
  work: (records: Records) => Promise<T>,
): Promise<T> {
  const records = await openRecords(config, { auditKey: subkeys.audit })
  try {
    await records.migrate()
    return await work(records)
  } finally {
    await records.close()
  }
}

/** Makes the index again from segments and records. */
export async function rebuildIndex(
  { lostIndex = false }: { lostIndex?: boolean },
  terminal: Terminal,
): Promise<void> {
  if (lostIndex) {
    await recreateLostIndex(terminal)
    return
  }
  const { config, directory } = opened(terminal)
  const { checkValue } = openSecrets(config.secretFile, false)
  await exclusively(directory, async () => {
    await noteAct(terminal, "corpus.rebuild", "service", {})
    const { rows, unreadable, bytesBefore, bytesAfter } = await rebuildCorpus({
      index: directory.index,
      segments: directory.segments,
      keyCheckValue: checkValue,
      now: terminal.now,
      ...phases(terminal, "rebuilding"),
    })
    forgetVerification(directory.index)
    const index = await openLmdbIndex({ path: directory.index, now: terminal.now })
    const { identities, erased } = await withRecords(config, async (records) => {
      // No segment and no record holds what tenants asked before.
      if (unreadable > 0) await notePastDecisions(config, index)
      return await settleIndex(records, index, replays, terminal.now())
    }).finally(() => index.close())
    terminal.print(
      `${number(rows)} rows of segments, ${settled(identities)} identities, ${number(erased)} erased, ${number(bytesBefore)} bytes before, ${number(bytesAfter)} now`,
    )
    if (unreadable > 0) {
      throw new CommandError(
        `${unreadable} identities could not be read before; what neither segments nor records have of them is lost`,
      )
    }
  })
}

function settled(identities: Readonly<Record<string, number>>): string {
  return Object.entries(identities)
    .map(([name, count]) => `${name} on ${number(count)}`)
    .join(", ")
}

/** Neither an import nor another rewriting of the index runs beside `work`; a service may. */
async function exclusively(directory: DataDirectory, work: () => Promise<void>): Promise<void> {
  const lock = lockImports(directory.path)
  if (lock === null) throw new CommandError("An import is running; try again when it is done")
  try {
    await work()
  } finally {
    lock.release()
  }
}

function statRows(
  facts: IndexFacts,
  segments: { readonly files: number; readonly bytes: number },
  erased: number,
): string[][] {
  const { identities, tenantIdentities, bytes, catalogue, compaction } = facts
  const states = (wanted: string): string =>
    number([...catalogue.batches.values()].filter(({ state }) => state === wanted).length)
  const { removed, all } = rowsOf(facts)
  const keys = identities + tenantIdentities
  return [
    ["identities", number(identities)],
    ["of tenants", number(tenantIdentities)],
    ["erased", number(erased)],
    ["index", `${number(bytes)} bytes`],
    ["per identity", keys === 0 ? "-" : `${(bytes / keys).toFixed(1)} bytes`],
    ["sources", number(catalogue.sources.size)],
    [
      "batches",
      `${states("live")} live, ${states("loading")} loading, ${states("removed")} removed`,
    ],
    ["rows removed", all === 0 ? "0 %" : `${((100 * removed) / all).toFixed(1)} %`],
    ["segments", `${number(segments.files)} files, ${number(segments.bytes)} bytes`],
    ["compacted", compaction === null ? "never" : new Date(compaction.at).toISOString()],
  ]
}

async function segmentSizes(directory: string): Promise<{ files: number; bytes: number }> {
  const names = existsSync(directory) ? await readdir(directory) : []
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(directory, name))).size),
  )
  return { files: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}
