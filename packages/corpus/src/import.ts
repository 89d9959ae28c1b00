import { mkdirSync } from "node:fs"
import type { Batch, Catalogue, SourceDescription } from "@assay/stores/exposure-index"
import { circulationChanges } from "./circulation.ts"
import { type ReaderChild, startReader } from "./engine/children.ts"
import type { Examined } from "./engine/examine.ts"
import { ImportFailure, shortReason } from "./engine/import-failure.ts"
import { watchMemory } from "./engine/memory.ts"
import { refuseForeignFile } from "./engine/reject-file.ts"
import { takeImportTurn } from "./import-lock.ts"
import { asSaid, kindOfMost, openAttempt, sharedSource, takenMembers } from "./import-plan.ts"
import { fingerprintOf, recipeOf } from "./import-recipe.ts"
import type {
  ImportReach,
  ImportReport,
  ImportRequest,
  ImportWatch,
  ImportWork,
  SegmentWork,
  SharedTurn,
} from "./import-request.ts"
import { type KeptSegment, removeLeftovers } from "./kept-segment.ts"
import { completeLive, goLive, mergeKept, mergeRows } from "./live-batch.ts"
import {
  type MadeSegment,
  makeSegment,
  type Merged,
  rejectedIn,
  type SegmentSteps,
  STREAMED,
} from "./make-segment.ts"
import { PhaseTimes } from "./phase-times.ts"
import { deleteRemovedSegments } from "./removed-segments.ts"

/**
 * Imports files as one batch of a source, all of it or nothing. If anything interrupts it, the same
 * request completes it; a repeated request that was completed changes nothing. Throws InputError,
 * ImportFailure or what the index throws, and from the moment the batch is live only ImportFailure
 * `unfinished`.
 */
export async function importCorpus(
  request: ImportRequest,
  reach: ImportReach,
  toldOf: ImportWatch,
): Promise<ImportReport> {
  const { directory, signal } = reach
  const phases = new PhaseTimes(reach.now)
  const watch = timed(toldOf, phases)
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
  let shared: SharedTurn | null = null
  try {
    shared =
      (await unlessStopped(signal, async () =>
        reach.sharedTurn?.({ wait: request.wait, signal }),
      )) ?? null
    await unlessStopped(signal, async () =>
      reach.bringSegments?.((brought) => watch.brings?.(brought)),
    )
    const report = await importAlone(
      request,
      inTurn(reach, shared),
      watch,
      phases,
      (made) => (live = made),
    )
    live = { report, undone: "the index was not compacted" }
    // Also where nothing changed: an earlier try may have broken here.
    await reach.compact((done, total) => watch.compacts(done, total))
    return { ...report, phases: phases.sofar() }
  } catch (error) {
    throw unfinished(live, (await lossOf(shared, error)) ?? error, watch)
  } finally {
    await shared?.release()
    lock.release()
  }
}

/** An index in which no batch goes live for a process that lost its turn. */
function inTurn(reach: ImportReach, turn: SharedTurn | null): ImportReach {
  if (turn === null) return reach
  return {
    ...reach,
    async openIndex() {
      const index = await reach.openIndex()
      return {
        ...index,
        async goLive(...going) {
          await turn.require()
          return await index.goLive(...going)
        },
      }
    },
  }
}

/**
 * That a failed import lost its turn, whatever the process met first when it went on: a store that
 * it had waited for while it was stopped, for one.
 */
async function lossOf(turn: SharedTurn | null, failure: unknown): Promise<ImportFailure | null> {
  if (turn === null || failure instanceof ImportFailure) return null
  try {
    await turn.require()
    return null
  } catch (error) {
    return error instanceof ImportFailure ? error : null
  }
}

function timed(watch: ImportWatch, phases: PhaseTimes): ImportWatch {
  return {
    ...watch,
    progress(progress) {
      phases.note(progress.phase)
      watch.progress(progress)
    },
    compacts(done, total) {
      phases.note("compacting")
      watch.compacts(done, total)
    },
  }
}

/** A live batch, and the work left to do. */
interface Live {
  readonly report: ImportReport
  readonly undone: string
}

function unfinished(live: Live | null, cause: unknown, watch: ImportWatch): unknown {
  if (live === null) return cause
  const { report, undone } = live
  watch.unfinished(report)
  return new ImportFailure(
    "unfinished",
    `Batch ${report.batch.id} of ${report.source.name} is live, but ${undone} (${shortReason(cause)}); the same command again completes it`,
    { cause },
  )
}

/** Once the signal has fired, any failure counts as caused by it. */
async function unlessStopped<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (signal.aborted)
      throw new ImportFailure("stopped", "Stopped; nothing changed", { cause: error })
    throw error
  }
}

async function importAlone(
  request: ImportRequest,
  reach: ImportReach,
  watch: ImportWatch,
  phases: PhaseTimes,
  onLive: (live: Live) => void,
): Promise<ImportReport> {
  const { directory, program, signal } = reach
  const reader = startReader(program, request.streamed && { stdin: "inherit" })
  const pids = [reach.pid, reader.pid]
  const memory = watchMemory(() => pids)
  const endReader = (): void => void reader.kill()
  signal.addEventListener("abort", endReader)
  try {
    const { paths, hints, streamed } = request
    const looked = await unlessStopped(signal, () =>
      reader.examine(
        { paths, hints, streamed, rowsShown: 0, nowMs: reach.now() },
        ({ bytes, totalBytes }) =>
          watch.progress({
            phase: "examining",
            rows: 0,
            rejected: 0,
            done: bytes,
            total: totalBytes,
          }),
      ),
    )
    const index = await reach.openIndex()
    try {
      const catalogue = await index.catalogue()
      await removeLeftovers(directory, catalogue, reach.now())
      await deleteRemovedSegments(catalogue, directory.segments)
      const known = sharedSource(catalogue, request.source.name)
      const { source, keyedAs } = asSaid(request, known, catalogue, looked)
      const taken = takenMembers(looked, keyedAs)
      watch.examined(looked, source, taken)
      const kindIsKnown =
        keyedAs.kind !== null || known !== undefined || request.repeats !== undefined
      const begun = { request, reach, watch, index, source, keyedAs, taken, kindIsKnown }
      const { examined, attempt } =
        streamed === undefined
          ? { examined: looked, attempt: await attemptOf(begun, looked) }
          : await unlessStopped(signal, () => readStream(begun, looked, reader, pids))
      const work = { ...begun, ...attempt }
      const { report, catalogue: current } =
        attempt.batch?.state === "live"
          ? { report: await alreadyLive(work, attempt.batch), catalogue }
          : await importBatch(work, examined, reader, pids, attempt.made)
      const finished = { ...report, peakMemory: memory.stop(), phases: phases.sofar() }
      if (finished.changed || finished.completed) {
        await completeLive(work, finished, current, (undone) =>
          onLive({ report: finished, undone }),
        )
      }
      return finished
    } finally {
      await index.close()
    }
  } finally {
    signal.removeEventListener("abort", endReader)
    memory.stop()
    await reader.kill()
  }
}

type Attempt = Awaited<ReturnType<typeof openAttempt>> & {
  /** The segment that this run made of it; null: none yet. */
  readonly made: MadeSegment | null
}
type Begun = SegmentWork & Pick<ImportWork, "index" | "source" | "kindIsKnown">

/** Looked up after reading: that takes long, and sources may be removed meanwhile. */
async function attemptOf({ request, reach, index }: Begun, examined: Examined): Promise<Attempt> {
  const fingerprint = fingerprintOf(request, examined)
  const catalogue = await index.catalogue()
  const attempt = await openAttempt(index, catalogue, reach.directory, fingerprint, reach.now())
  return { ...attempt, made: null }
}

/**
 * Reads a stream, of which it is only then known what it is: the same may be live already, or an
 * earlier try may have read it.
 */
async function readStream(
  begun: Begun,
  looked: Examined,
  reader: ReaderChild,
  pids: number[],
): Promise<{ examined: Examined; attempt: Attempt }> {
  let found: { examined: Examined; attempt: Attempt } | null = null
  const made = await makeSegment(begun, looked, reader, pids, STREAMED, {
    async nameOf({ digest }) {
      const examined = { ...looked, ...digest }
      const attempt = await attemptOf(begun, examined)
      found = { examined, attempt }
      return attempt.batch?.state === "live" || attempt.kept !== null ? null : attempt.fingerprint
    },
    merge: mergeInto(begun),
  })
  const { examined, attempt } = found as unknown as { examined: Examined; attempt: Attempt }
  return { examined, attempt: { ...attempt, kept: made?.kept ?? attempt.kept, made } }
}

/** Opens the batch with the first of its rows: until then, a failure leaves the index as it was. */
function mergeInto(begun: Begun): SegmentSteps["merge"] {
  return async (fingerprint, { tally }, startedAtMs, { blocks, rowsMax }) => {
    const first = await withFirst(blocks)
    const batch = await begun.index.openBatch(described(begun, tally), fingerprint, startedAtMs)
    const rows = { blocks: first, rowsMax }
    return { batch, merged: await mergeRows(begun, batch, rows, rejectedIn(tally)) }
  }
}

/** The same, once there is a first one. */
async function withFirst<T>(values: AsyncIterable<T>): Promise<AsyncGenerator<T>> {
  const iterator = values[Symbol.asyncIterator]()
  const first = await iterator.next()
  return (async function* () {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value
  })()
}

function described(
  { source, kindIsKnown, taken }: Begun,
  tally: KeptSegment["tally"],
): SourceDescription {
  return kindIsKnown ? source : { ...source, kind: kindOfMost(tally, taken) }
}

type Report = Omit<ImportReport, "peakMemory" | "phases">

/** Makes the batch live. */
async function importBatch(
  work: ImportWork,
  examined: Examined,
  reader: ReaderChild,
  pids: number[],
  madeBefore: MadeSegment | null,
): Promise<{ report: Report; catalogue: Catalogue }> {
  const { reach, watch, index, fingerprint } = work
  const { directory, signal } = reach
  if (work.kept !== null && madeBefore === null) watch.resumes()
  const { kept, source, batch, merged } = await unlessStopped(signal, async () => {
    const nameOf = async (): Promise<string> => fingerprint
    const made =
      work.kept !== null
        ? { kept: work.kept, merged: madeBefore?.merged ?? null }
        : await makeSegment(work, examined, reader, pids, fingerprint, {
            nameOf,
            merge: mergeInto(work),
          })
    if (made === null) throw new ImportFailure("reader", "The input has no name")
    const description = described(work, made.kept.tally)
    const done = made.merged ?? (await mergeFile(work, made.kept, description))
    if (done.merged.rows !== made.kept.rows) {
      throw new ImportFailure("sorter", "The index did not take every row of the segment")
    }
    // The last moment at which stopping leaves everything as it was.
    signal.throwIfAborted()
    return { kept: made.kept, source: description, ...done }
  })
  const { rows, identities } = merged
  const importedBy = work.request.importedBy
  const recipe = recipeOf(work.request, examined, kept.keyedAs)
  const rejected = rejectedIn(kept.tally)
  let steps = 1
  const measured = (done: number, total: number): void => {
    steps = total
    watch.progress({ phase: "measuring", rows, rejected, done, total })
  }
  watch.progress({ phase: "measuring", rows, rejected, done: 0, total: null })
  // Circulation between sources is recomputed at the moment the batch goes live.
  const sources = await circulationChanges(
    await index.catalogue(),
    directory.segments,
    directory.imports,
    {
      ...{ batchId: batch.id, file: kept.segment.file, description: source },
      ...{ identities, inputs: recipe.inputs },
    },
    measured,
  )
  measured(steps, steps)
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
  const whole = { ...report, batch: catalogue.batches.get(batch.id) ?? batch }
  const live = catalogue.sources.get(batch.sourceId)
  if (live === undefined) return { report: whole, catalogue }
  const sameAs = catalogue.sources.get(live.circulation?.sameAs ?? -1)?.name ?? null
  return { report: { ...whole, source: live, sameAs }, catalogue }
}

async function mergeFile(
  work: ImportWork,
  kept: KeptSegment,
  description: SourceDescription,
): Promise<Merged> {
  const batch = await work.index.openBatch(description, work.fingerprint, kept.startedAtMs)
  return { batch, merged: await mergeKept(work, kept, batch) }
}

async function alreadyLive({ reach, source, kept }: ImportWork, batch: Batch): Promise<Report> {
  const { rows, identities } = batch
  return {
    changed: false,
    // The note of a segment is the last thing that goes, and lies on the node that made it.
    completed: kept !== null || (await reach.isAudited?.(batch)) === false,
    batch,
    source,
    tally: { rows: 0, rejects: {}, kinds: {}, datings: {} },
    repeated: 0,
    merged: { rows, identities, known: rows },
    rejects: "",
    sameAs: null,
  }
}
