import { existsSync } from "node:fs"
import { type Config, readConfig } from "../base/config.ts"
import { recomputeCirculation } from "@assay/corpus/circulation"
import { keepCatalogue } from "@assay/corpus/kept-catalogue"
import { ImportFailure } from "@assay/corpus/engine/import-failure"
import { deleteRemovedSegments } from "@assay/corpus/removed-segments"
import {
  type HeldSource,
  heldSources,
  isAddressOnly,
  isLive,
  sourceDate,
} from "@assay/corpus/sources"
import { type DataDirectory, openDataDirectory } from "@assay/runtime/data-directory"
import { openSecrets, type Secrets } from "@assay/runtime/secrets"
import type { Catalogue, ExposureIndex, Source, SourceChange } from "@assay/stores/exposure-index"
import { recordsAreShared } from "@assay/stores/open/open-database"
import { indexAt } from "@assay/stores/open/open-index"
import { openIndexForCommand } from "../upkeep/open-index.ts"
import { arrivesOneByOne } from "@assay/stores/arriving-batches"
import { bringForImport } from "./bring-for-import.ts"
import { refuseUnprintable } from "./keys.ts"
import { withRecords } from "./records-access.ts"
import { type CorrectionOptions, readCorrection } from "./source-correction.ts"
import { sourceFacts, sourceLines, sourceTable } from "./source-lines.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export async function listSources(terminal: Terminal): Promise<void> {
  await withIndex(terminal, "read", async ({ index }) => {
    const held = heldSources(await index.catalogue())
    if (held.length === 0) terminal.print("There are no sources.")
    else sourceTable(held.toSorted(byName)).forEach(terminal.print)
  })
}

export async function showSource(name: string, terminal: Terminal): Promise<void> {
  await withIndex(terminal, "read", async ({ index }) => {
    const catalogue = await index.catalogue()
    const held = knownSource(catalogue, name)
    const batches = [...catalogue.batches.values()].filter(
      ({ sourceId }) => sourceId === held.source.id,
    )
    sourceLines(held, batches).forEach(terminal.print)
  })
}

export async function retitleSource(
  name: string,
  title: string,
  terminal: Terminal,
): Promise<void> {
  refuseUnprintable("The title", title)
  await withIndex(terminal, "write", async (corpus) => {
    const { source } = knownSource(await corpus.index.catalogue(), name)
    await note(corpus, terminal, "source.retitle", source.id, { name, title })
    const after = await corpus.index.changeSource(source.id, { title })
    printChanges(name, source.id, corpus.before, after, terminal)
  })
}

/**
 * Corrects a source's description. Which sources circulate others is recomputed if it depends on
 * that.
 */
export async function setSource(
  name: string,
  options: CorrectionOptions,
  terminal: Terminal,
): Promise<void> {
  await withIndex(terminal, "write", async (corpus) => {
    const { index, directory, before } = corpus
    const { source } = knownSource(before, name)
    const change = readCorrection(options, source, terminal.now())
    await note(corpus, terminal, "source.set", source.id, { name, ...options })
    // A segment that cannot be read must not keep a source from being marked sensitive.
    const isMeasured = bearsOnCirculation(source, change)
    if (isMeasured) await bringMeasured(corpus)
    const after = isMeasured
      ? await recomputeCirculation(index, directory.segments, directory.imports, {
          sourceId: source.id,
          change,
        })
      : await index.changeSource(source.id, change)
    printChanges(name, source.id, before, after, terminal)
  })
}

/**
 * Takes a source out of every later score. What was imported from it is deleted; only its files
 * bring it back.
 */
export async function removeSource(
  name: string,
  { yes = false }: { yes?: boolean },
  terminal: Terminal,
): Promise<void> {
  await withIndex(terminal, "write", async (corpus) => {
    const { index, directory, before } = corpus
    const held = knownSource(before, name)
    const extent = extentOf(held)
    if (!yes)
      throw new CommandError(
        `${name} has ${extent}. Removing it cannot be undone; with --yes it is done`,
      )
    const { id } = held.source
    const { rows, identities } = held
    await note(corpus, terminal, "source.remove", id, { name, rows, identities })
    await forgetNotifications(corpus, held, terminal)
    const removed = await index.removeSource(id, terminal.now())
    terminal.print(`${name} is removed: ${extent}. The next score goes without it.`)
    // Before anything is measured: an error there must not leave the rows of a removed source on
    // the disk.
    await deleteRemovedSegments(removed, directory.segments)
    await bringMeasured(corpus)
    const after = await recomputeCirculation(index, directory.segments, directory.imports)
    printTurned(id, removed, after, terminal)
  })
}

/**
 * Evidence that arrived one by one is in the records too, and would come back when the index is
 * made anew. Delete it before the source, so that a command that was killed can be run again.
 */
async function forgetNotifications(
  { config }: Corpus,
  { source, batches }: HeldSource,
  { now, print }: Terminal,
): Promise<void> {
  if (!batches.some(arrivesOneByOne)) return
  const forgotten = await withRecords(config, (records) =>
    records.forgetSharedSource({ source: source.name, receivedUpTo: now() }),
  )
  print(`${forgotten} ${forgotten === 1 ? "notification" : "notifications"} deleted.`)
}

/** Of several nodes this one may lack a segment that another has just imported. */
async function bringMeasured({ config, directory, secrets }: Corpus): Promise<void> {
  if (!recordsAreShared(config) || indexAt(config).files !== null) return
  const { signal } = new AbortController()
  try {
    await bringForImport({ config, directory, secrets, signal }, () => undefined)
  } catch (error) {
    throw error instanceof ImportFailure ? new CommandError(error.message, { cause: error }) : error
  }
}

interface Corpus {
  readonly index: ExposureIndex
  readonly directory: DataDirectory
  readonly secrets: Secrets
  readonly config: Config
  /** The catalogue as the command found it. */
  readonly before: Catalogue
}

/**
 * Runs `work` on the index. Also while a service runs: the index lets one write at a time, and the
 * service sees every change in its next lookup.
 */
async function withIndex(
  terminal: Terminal,
  access: "read" | "write",
  work: (corpus: Corpus) => Promise<void>,
): Promise<void> {
  const config = readConfig(terminal.env)
  if (!existsSync(config.dataDirectory)) throw new CommandError("There is no data directory yet")
  const directory = openDataDirectory(config.dataDirectory)
  if (!existsSync(directory.index)) throw new CommandError("Nothing has been imported yet")
  const secrets = openSecrets(config.secretFile, false)
  const index = await openIndexForCommand(config, { readOnly: access === "read" })
  try {
    await index.checkKeyCheckValue(secrets.checkValue)
    const before = await index.catalogue()
    // What a command that was killed had still to delete.
    if (access === "write") await deleteRemovedSegments(before, directory.segments)
    await work({ index, directory, secrets, config, before })
    if (access === "write") await keepCatalogue(await index.catalogue(), directory.path)
  } finally {
    await index.close()
  }
}

/** Before the change itself: a change that cannot be noted in the audit trail is not made. */
async function note(
  { config }: Corpus,
  { now, user }: Terminal,
  action: string,
  sourceId: number,
  detail: Record<string, unknown>,
): Promise<void> {
  await withRecords(config, (records) =>
    records.addAudit({ at: now(), actor: user, action, subject: `source:${sourceId}`, detail }),
  )
}

/**
 * Whether a change of one source may turn it or another into an origin or a copy, other than by an
 * operator's word.
 */
function bearsOnCirculation(source: Source, change: SourceChange): boolean {
  const after = { ...source, ...change }
  return (
    sourceDate(after) !== sourceDate(source) ||
    isAddressOnly(after) !== isAddressOnly(source) ||
    change.circulation === null
  )
}

function knownSource(catalogue: Catalogue, name: string): HeldSource {
  const held = heldSources(catalogue).find(({ source }) => source.name === name)
  if (held === undefined) throw new CommandError("There is no source of this name")
  return held
}

function extentOf({ batches, rows, identities }: HeldSource): string {
  if (rows === null) return "evidence that arrives one by one, which is not counted"
  const live = batches.filter(isLive).length
  // Only one batch knows its identities exactly; two may name the same.
  const about = live > 1 ? `up to ${identities}` : String(identities)
  return `${batches.length} ${batches.length === 1 ? "batch" : "batches"}, ${rows} rows about ${about} identities`
}

function printChanges(
  name: string,
  sourceId: number,
  before: Catalogue,
  after: Catalogue,
  terminal: Terminal,
): void {
  const was = before.sources.get(sourceId)
  const is = after.sources.get(sourceId)
  if (was === undefined || is === undefined) throw new CommandError(`${name} was removed meanwhile`)
  const facts = new Map(sourceFacts(was))
  const changes = sourceFacts(is).filter(([fact, value]) => facts.get(fact) !== value)
  for (const [fact, value] of changes)
    terminal.print(`${fact}: ${facts.get(fact) ?? ""} → ${value}`)
  if (changes.length === 0) terminal.print("Nothing changed.")
  else terminal.note("The next score rests on this.")
  printTurned(sourceId, before, after, terminal)
}

/** Other sources whose role changed. */
function printTurned(
  sourceId: number,
  before: Catalogue,
  after: Catalogue,
  terminal: Terminal,
): void {
  for (const { id, name, circulates } of after.sources.values()) {
    if (id === sourceId || before.sources.get(id)?.circulates === circulates) continue
    terminal.print(
      circulates ? `${name} circulates older sources now.` : `${name} counts as an origin now.`,
    )
  }
}

function byName(a: HeldSource, b: HeldSource): number {
  return a.source.name < b.source.name ? -1 : 1
}
