import { mkdirSync, rmSync, statfsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import type { DataDirectory } from "@assay/runtime/data-directory"
import type { Secrets } from "@assay/runtime/secrets"
import type {
  Batch,
  Catalogue,
  EntryKind,
  ExposureIndex,
  ImportRecipe,
  MergedSegment,
  SegmentBlock,
  Source,
  SourceDescription,
} from "@assay/stores/exposure-index"
import type { AuditEntry } from "@assay/stores/records"
import { HOUR_MS } from "@assay/runtime/time"
import { type NodeProgram, type ReaderChild, startReader, startSorter } from "./engine/children.ts"
import type { Examined } from "./engine/examine.ts"
import { ImportFailure, shortReason } from "./engine/import-failure.ts"
import { watchMemory } from "./engine/memory.ts"
import type { ReadTally } from "./engine/reader.ts"
import { refuseForeignFile, unfinishedRejects } from "./engine/reject-file.ts"
import { bothDone } from "./engine/side-by-side.ts"
import type { FormatHints } from "./formats/head.ts"
import { circulationChanges } from "./circulation.ts"
import { type ImportHolder, takeImportTurn } from "./import-lock.ts"
import { fingerprintOf, recipeOf, type RepeatedImport } from "./import-recipe.ts"
import { keepCatalogue } from "./kept-catalogue.ts"
import {
  forgetKept,
  keepSegment,
  type KeptSegment,
  keptSegment,
  removeLeftovers,
  segmentFile,
  unfinishedSegment,
} from "./kept-segment.ts"
import { openSegmentReader } from "./segments/segment.ts"
import { deleteRemovedSegments } from "./removed-segments.ts"
import { describeSource, saidKind, type SourceRequest } from "./source-request.ts"
import { fileDaysOf, type TakenAs, takenAs } from "./engine/taken-as.ts"

export interface ImportRequest {
  readonly paths: readonly string[]
  readonly hints: FormatHints
  readonly source: SourceRequest
  /** Where rejected rows are listed; null: in the data directory. */
  readonly rejects: string | null
  /** Of the sorter; what does not fit goes to the disk. */
  readonly memoryMb: number
  readonly wait: boolean
  readonly importedBy: string
  /** Set where a batch is imported again under other keys. */
  readonly repeats?: RepeatedImport
}

/** What an import uses of the machine and the service. */
export interface ImportReach {
  readonly directory: DataDirectory
  readonly secrets: Secrets
  readonly program: NodeProgram
  readonly pid: number
  readonly now: () => number
  /** Stops the import where it is, before anything of it is seen. */
  readonly signal: AbortSignal
  openIndex(): Promise<ExposureIndex>
  audit(entry: Omit<AuditEntry, "id">): Promise<void>
  /** Compacts the index, if imports have made it larger than it need be. */
  compact(onProgress: (done: number, total: number) => void): Promise<void>
}

/** Hears how an import goes. */
export interface ImportWatch {
  waits(holder: ImportHolder | null): void
  /** What the input is, before anything of it is read or written. */
  examined(examined: Examined, source: SourceDescription, taken: ReadonlyMap<number, TakenAs>): void
  /** The segment of an earlier try is there in full, so nothing is read again. */
  resumes(): void
  progress(progress: ImportProgress): void
  compacts(done: number, total: number): void
}

export interface ImportProgress {
  readonly phase: "examining" | "reading" | "sorting" | "merging" | "measuring" | "compacting"
  readonly rows: number
  /** Bytes of the input while examining and reading, rows while merging. */
  readonly done: number
  /** null where nobody knows how much there is to do. */
  readonly total: number | null
}

export interface ImportReport {
  /** False: exactly this was imported before, and nothing changed. */
  readonly changed: boolean
  /** What an earlier try left undone behind a live batch was done now. */
  readonly completed: boolean
  readonly batch: Batch
  readonly source: SourceDescription
  readonly tally: ReadTally
  /** Rows that were there more than once in the input. */
  readonly repeated: number
  readonly merged: MergedSegment
  /** The list of rejected rows. */
  readonly rejects: string
  /** The name of an older source that holds the same data; null where none does. */
  readonly sameAs: string | null
  /** Of all processes of the import together, in bytes; null where the system does not tell. */
  readonly peakMemory: number | null
}

/**
 * The batch is live and stays so, but something that follows was not done: the same request again
 * does it.
 */
export class ImportUnfinished extends Error {
  override readonly name = "ImportUnfinished"
  readonly report: ImportReport
  constructor(report: ImportReport, undone: string, cause: unknown) {
    const { batch, source } = report
    super(
      `Batch ${batch.id} of ${source.name} is live, but ${undone} (${shortReason(cause)}); the same command again completes it`,
      { cause },
    )
    this.report = report
  }
}

/** The import was told to stop, and did: what is served is as it was. */
export class ImportStopped extends Error {
  override readonly name = "ImportStopped"
}

/**
 * Imports files as one batch of a source, all of it or nothing. Whatever ends it on the way, the
 * same request again completes it; a request that was completed changes nothing. Throws InputError,
 * ImportFailure, ImportRuns, ImportStopped or what the index throws, and from the moment the batch
 * is live only ImportUnfinished.
 */
export async function importCorpus(
  request: ImportRequest,
  reach: ImportReach,
  watch: ImportWatch,
): Promise<ImportReport> {
  const { directory, signal } = reach
  if (request.rejects !== null) refuseForeignFile(request.rejects)
  for (const path of [directory.segments, directory.imports, directory.rejects]) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  }
  const lock = await unlessStopped(signal, () =>
    takeImportTurn(directory, {
      self: { pid: reach.pid, startedAtMs: reach.now() },
      wait: request.wait,
      signal,
      onWait: watch.waits,
    }),
  )
  let live: Live | null = null
  try {
    const report = await importAlone(request, reach, watch, (made) => (live = made))
    live = { report, undone: "the index was not compacted" }
    // Also where nothing changed: an earlier try may have broken here.
    await reach.compact((done, total) => watch.compacts(done, total))
    return report
  } catch (error) {
    throw unfinished(live, error)
  } finally {
    lock.release()
  }
}

/** A batch that is live, and what is left to do. */
interface Live {
  readonly report: ImportReport
  readonly undone: string
}

function unfinished(live: Live | null, error: unknown): unknown {
  return live === null ? error : new ImportUnfinished(live.report, live.undone, error)
}

/** Whatever breaks because it was told to stop, the reason is that. */
async function unlessStopped<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (signal.aborted) throw new ImportStopped("Stopped; nothing changed", { cause: error })
    throw error
  }
}

async function importAlone(
  request: ImportRequest,
  reach: ImportReach,
  watch: ImportWatch,
  onLive: (live: Live) => void,
): Promise<ImportReport> {
  const { directory, program, signal } = reach
  const reader = startReader(program)
  const pids = [reach.pid, reader.pid]
  const memory = watchMemory(() => pids)
  const endReader = (): void => void reader.kill()
  signal.addEventListener("abort", endReader)
  try {
    const { paths, hints } = request
    const examined = await unlessStopped(signal, () =>
      reader.examine({ paths, hints, rowsShown: 0, nowMs: reach.now() }, ({ bytes, totalBytes }) =>
        watch.progress({ phase: "examining", rows: 0, done: bytes, total: totalBytes }),
      ),
    )
    const index = await reach.openIndex()
    try {
      const catalogue = await index.catalogue()
      removeLeftovers(directory, (file) => isReferenced(catalogue, file), reach.now())
      await deleteRemovedSegments(catalogue, directory.segments)
      const known = sharedSource(catalogue, request.source.name)
      const { source, keyedAs } = asSaid(request, known, catalogue, examined)
      const taken = takenMembers(examined, keyedAs)
      watch.examined(examined, source, taken)
      const attempt = await openAttempt(
        index,
        catalogue,
        directory,
        fingerprintOf(request, examined),
        reach.now(),
      )
      const work = {
        ...{ request, reach, watch, index, source, keyedAs, taken, ...attempt },
        kindIsKnown: keyedAs.kind !== null || known !== undefined || request.repeats !== undefined,
      }
      const { report, catalogue: current } =
        attempt.batch?.state === "live"
          ? { report: alreadyLive(work, attempt.batch), catalogue }
          : await importBatch(work, examined, reader, pids)
      const told = { ...report, peakMemory: memory.stop() }
      if (told.changed || told.completed) {
        await completeLive(work, told, current, (undone) => onLive({ report: told, undone }))
      }
      return told
    } finally {
      await index.close()
    }
  } finally {
    signal.removeEventListener("abort", endReader)
    memory.stop()
    await reader.kill()
  }
}

/**
 * By number: what the rows of a member are taken for. Members that are passed over are not in it.
 */
type TakenMembers = ReadonlyMap<number, TakenAs>

/** What the request, or the import it repeats, says of the source and of all rows. */
function asSaid(
  request: ImportRequest,
  known: Source | undefined,
  catalogue: Catalogue,
  { members }: Examined,
): { source: SourceDescription; keyedAs: ImportRecipe["keyedAs"] } {
  const { repeats } = request
  if (repeats !== undefined) return { source: repeats.description, keyedAs: repeats.keyedAs }
  const kind = saidKind(request.source, known, catalogue.batches.values())
  const source = describeSource(request.source, known, kind ?? "breach")
  const { eventDate } = source
  const fileDays = eventDate === null ? { fileDays: fileDaysOf(members) } : {}
  return { source, keyedAs: { kind, eventDate, ...fileDays } }
}

function takenMembers({ members }: Examined, keyedAs: ImportRecipe["keyedAs"]): TakenMembers {
  return new Map(
    members
      .filter(({ detected }) => detected !== null)
      .map((member) => [member.number, takenAs(member, keyedAs)]),
  )
}

/** Of the kinds that files were taken for, the one with the most rows. */
function kindOfMost({ kinds }: ReadTally, taken: TakenMembers): EntryKind {
  const rows = (kind: EntryKind): number => kinds[kind] ?? 0
  return [...taken.values()]
    .map(({ kind }) => kind)
    .reduce((one, other) => (rows(other) > rows(one) ? other : one))
}

/** One import under way. */
interface Work {
  readonly request: ImportRequest
  readonly reach: ImportReach
  readonly watch: ImportWatch
  readonly index: ExposureIndex
  readonly source: SourceDescription
  readonly keyedAs: ImportRecipe["keyedAs"]
  readonly taken: TakenMembers
  /** Otherwise the source is of the kind most of its rows are. */
  readonly kindIsKnown: boolean
  readonly fingerprint: string
  readonly kept: KeptSegment | null
}

type Report = Omit<ImportReport, "peakMemory">

/** Makes the batch live. */
async function importBatch(
  work: Work,
  examined: Examined,
  reader: ReaderChild,
  pids: number[],
): Promise<{ report: Report; catalogue: Catalogue }> {
  const { reach, watch, index, fingerprint } = work
  const { directory, signal } = reach
  if (work.kept !== null) watch.resumes()
  const { kept, source, batch, merged } = await unlessStopped(signal, async () => {
    const segment = work.kept ?? (await makeSegment(work, examined, reader, pids))
    const described = work.kindIsKnown
      ? work.source
      : { ...work.source, kind: kindOfMost(segment.tally, work.taken) }
    const loading = await index.openBatch(described, fingerprint, segment.startedAtMs)
    const rows = await mergeKept(work, segment, loading)
    // The last moment at which stopping leaves everything as it was.
    signal.throwIfAborted()
    return { kept: segment, source: described, batch: loading, merged: rows }
  })
  const { rows, identities } = merged
  const importedBy = work.request.importedBy
  const recipe = recipeOf(work.request, examined, kept.keyedAs)
  watch.progress({ phase: "measuring", rows, done: 0, total: null })
  // Circulation between sources is recomputed at the moment the batch goes live.
  const sources = await circulationChanges(
    await index.catalogue(),
    directory.segments,
    directory.imports,
    {
      ...{ batchId: batch.id, file: kept.segment.file, description: source },
      ...{ identities, inputs: recipe.inputs },
    },
  )
  const going = { rows, identities, importedBy, segment: kept.segment, recipe, sources }
  const report: Report = {
    changed: true,
    completed: false,
    batch,
    source,
    tally: kept.tally,
    repeated: kept.tally.rows - kept.rows,
    merged,
    rejects: kept.rejects,
    sameAs: null,
  }
  const catalogue = await goLive(index, batch.id, going, reach.now())
  const live = catalogue.sources.get(batch.sourceId)
  if (live === undefined) return { report, catalogue }
  const sameAs = catalogue.sources.get(live.circulation?.sameAs ?? -1)?.name ?? null
  return { report: { ...report, source: live, sameAs }, catalogue }
}

/**
 * An index elsewhere may lose its answer and not the change: then the catalogue says whether the
 * batch is live.
 */
async function goLive(
  index: ExposureIndex,
  batchId: number,
  going: Parameters<ExposureIndex["goLive"]>[1],
  nowMs: number,
): Promise<Catalogue> {
  try {
    return await index.goLive(batchId, going, nowMs)
  } catch (error) {
    const catalogue = await index.catalogue().catch(() => null)
    if (catalogue?.batches.get(batchId)?.state !== "live") throw error
    return catalogue
  }
}

function alreadyLive({ source, kept }: Work, batch: Batch): Report {
  const { rows, identities } = batch
  return {
    changed: false,
    // The note of a segment is the last thing that goes.
    completed: kept !== null,
    batch,
    source,
    tally: { rows: 0, rejects: {}, kinds: {}, datings: {} },
    repeated: 0,
    merged: { rows, identities, known: rows },
    rejects: "",
    sameAs: null,
  }
}

/**
 * What follows once a batch is live. `next` is told what is not done, should the next step break.
 */
async function completeLive(
  { request, reach, fingerprint }: Work,
  { batch, source, merged: { rows, identities } }: Report,
  catalogue: Catalogue,
  next: (undone: string) => void,
): Promise<void> {
  next("the copy of its catalogue was not written")
  await keepCatalogue(catalogue, reach.directory.path)
  next("its entry in the audit trail was not written")
  await reach.audit({
    at: reach.now(),
    actor: request.importedBy,
    action: "corpus.import",
    subject: `batch:${batch.id}`,
    // No file name: logs are filed under people and machines.
    detail: { source: source.name, kind: source.kind, rows, identities },
  })
  next("the note of its segment was not removed")
  forgetKept(reach.directory, fingerprint)
  next("the index was not closed")
}

/** Reads, keys and sorts the input into a segment that lasts. */
async function makeSegment(
  { request, reach, watch, keyedAs, taken, fingerprint }: Work,
  examined: Examined,
  reader: ReaderChild,
  pids: number[],
): Promise<KeptSegment> {
  const { directory, program, secrets, signal } = reach
  refuseFullDisk(directory, request.paths, examined.totalBytes)
  const startedAtMs = request.repeats?.startedAtMs ?? reach.now()
  const rejects = request.rejects ?? join(directory.rejects, `${fingerprint}.csv`)
  const workDirectory = join(directory.imports, fingerprint)
  const segment = unfinishedSegment(directory, fingerprint)
  mkdirSync(workDirectory, { mode: 0o700 })
  const sorter = startSorter(program, reader)
  pids.push(sorter.pid)
  const endSorter = (): void => void sorter.kill()
  signal.addEventListener("abort", endSorter)
  try {
    const { identity, alias, password } = secrets.subkeys
    const hours = Math.floor(startedAtMs / HOUR_MS)
    const sorting = sorter.sort({
      workDirectory,
      segment,
      keyCheckValue: secrets.checkValue,
      memoryMb: request.memoryMb,
    })
    const reading = reader.read(
      {
        paths: request.paths,
        keyer: {
          subkeys: { identity, alias, password },
          kind: keyedAs.kind ?? "breach",
          hours,
          latestHours: hours + 24,
        },
        members: new Map(
          [...taken].map(([number, { kind, day, dating }]) => [
            number,
            { kind, dating, hours: day === null ? hours : Date.parse(day) / HOUR_MS },
          ]),
        ),
        threads: Math.min(THREADS_MAX, availableParallelism()),
        rejects,
      },
      ({ bytes, rows }) =>
        watch.progress({ phase: "reading", rows, done: bytes, total: examined.totalBytes }),
    )
    const sortingAlone = reading.then((read) => {
      watch.progress({ phase: "sorting", rows: read.rows, done: 0, total: null })
      return read
    })
    const [tally, sorted] = await bothDone(sortingAlone, sorting)
    refuseNothing(tally, rejects)
    const { rows, bytes, sha256 } = sorted
    const kept: KeptSegment = {
      startedAtMs,
      segment: { file: segmentFile(fingerprint), bytes, sha256 },
      rows,
      keyedAs,
      tally,
      rejects,
    }
    await keepSegment(directory, fingerprint, kept)
    return kept
  } finally {
    signal.removeEventListener("abort", endSorter)
    await Promise.all([reader.kill(), sorter.kill()])
    rmSync(workDirectory, { recursive: true, force: true })
    rmSync(segment, { force: true })
    // A reader that was killed could not remove it itself.
    rmSync(unfinishedRejects(rejects), { force: true })
  }
}

/** More threads than this would wait for the sorter. */
const THREADS_MAX = 8

async function mergeKept(
  { reach, watch, index }: Work,
  kept: KeptSegment,
  batch: Batch,
): Promise<MergedSegment> {
  const path = join(reach.directory.segments, kept.segment.file)
  const reader = await openSegmentReader()
  try {
    const { keyCheckValue, rows: total } = await reader.facts(path)
    if (keyCheckValue !== reach.secrets.checkValue || total !== kept.rows) {
      throw new ImportFailure("sorter", "The segment is not the one that was written")
    }
    let rows = 0
    const merged = await index.mergeSegment(
      batch.id,
      untilStopped(reader.blocks(path), reach.signal),
      (more) => {
        rows += more
        watch.progress({ phase: "merging", rows, done: rows, total })
      },
    )
    if (merged.rows !== kept.rows) {
      throw new ImportFailure("sorter", "The index did not take every row of the segment")
    }
    return merged
  } finally {
    reader.close()
  }
}

async function* untilStopped(
  blocks: AsyncIterable<SegmentBlock>,
  signal: AbortSignal,
): AsyncGenerator<SegmentBlock> {
  for await (const block of blocks) {
    signal.throwIfAborted()
    yield block
  }
}

/**
 * Which batch the import is: the one of its fingerprint, or a new one under the next name where
 * that was removed. One that is loading goes on only with the segment it began with; rows of a
 * second reading could differ from the first in their date, and the batch would hold both.
 */
async function openAttempt(
  index: ExposureIndex,
  catalogue: Catalogue,
  directory: DataDirectory,
  fingerprint: string,
  nowMs: number,
): Promise<{ fingerprint: string; batch: Batch | undefined; kept: KeptSegment | null }> {
  const shared = [...catalogue.batches.values()].filter(({ owner }) => owner === "shared")
  for (let n = 0; ; n++) {
    const name = n === 0 ? fingerprint : `${fingerprint}.${n}`
    const batch = shared.find((each) => each.fingerprint === name)
    if (batch?.state === "removed") continue
    const kept = await keptSegment(directory, name)
    if (batch?.state !== "loading" || kept !== null) return { fingerprint: name, batch, kept }
    await index.removeBatch(batch.id, nowMs)
  }
}

function sharedSource(catalogue: Catalogue, name: string): Source | undefined {
  return [...catalogue.sources.values()].find(
    (source) => source.owner === "shared" && source.name === name,
  )
}

function isReferenced({ batches }: Catalogue, file: string): boolean {
  return [...batches.values()].some(({ segment }) => segment?.file === file)
}

function refuseNothing({ rows, rejects }: ReadTally, list: string): void {
  if (rows > 0) return
  const rejected = Object.values(rejects).reduce((sum, count) => sum + count, 0)
  throw new ImportFailure(
    "input",
    rejected === 0
      ? "There is no row in the input"
      : `None of ${rejected} rows could be imported; ${list} says why`,
  )
}

/**
 * What an import writes, against the bytes of its input: a row of 30 bytes takes 24 in the sorter's
 * table, as many when it spills, 20 in the segment and up to 55 in the index. Packed input is taken
 * for four times its size.
 */
const DISK_FACTOR = 4
const PACKED_FACTOR = 4

function refuseFullDisk(directory: DataDirectory, paths: readonly string[], bytes: number): void {
  const packed = paths.some((path) => /\.(?:gz|zst|zip)$/i.test(path))
  const needed = bytes * DISK_FACTOR * (packed ? PACKED_FACTOR : 1)
  const { bavail, bsize } = statfsSync(directory.path)
  if (bavail * bsize >= needed) return
  const megabytes = (count: number): string => (count / 1e6).toFixed(0)
  throw new ImportFailure(
    "disk-full",
    `The import may need ${megabytes(needed)} MB of disk, and ${megabytes(bavail * bsize)} MB are free`,
  )
}
