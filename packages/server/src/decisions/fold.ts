import { closeSync, fstatSync, openSync, readSync, rmSync } from "node:fs"
import { lockDataDirectory } from "@assay/runtime/data-directory"
import { isMissing } from "@assay/runtime/if-present"
import { oneAtATime } from "@assay/runtime/one-at-a-time"
import type { Decision, Decisions } from "@assay/stores/decisions"
import { RecordsError } from "@assay/stores/records-error"
import {
  removeUnnamed,
  type Segment,
  segmentPath,
  segmentsOf,
  setAside,
  workerDirectories,
} from "./journal-files.ts"
import { JOURNAL_HEADER, OLDER_HEADERS, readJournalLines } from "./journal-line.ts"

/** What `OnFolded` learns about a decision that has just reached the store. */
export type FoldedDecision = Pick<Decision, "tenantId" | "identityKey" | "identityType"> & {
  readonly atMs: number
}

/**
 * Called after the decisions are in the store and before they leave the journal, so none is left
 * out; after a failure or a crash in between the same ones come again.
 */
export type OnFolded = (decisions: readonly FoldedDecision[]) => Promise<void>

export interface FoldReport {
  readonly folded: number
  /**
   * Lines that were not written in whole, which only a failing disk or a power cut leaves behind.
   */
  readonly torn: number
  /**
   * Files set aside because their beginning could not be read. What could be read of the rest is
   * folded.
   */
  readonly damaged: number
}

export const NOTHING: FoldReport = { folded: 0, torn: 0, damaged: 0 }

interface FolderOptions {
  /** The directory of all journals. */
  readonly journal: string
  readonly decisions: Pick<Decisions, "add">
  readonly onFolded?: OnFolded | undefined
  /** Called like `onFolded`, with all of each decision, those of older journals apart. */
  readonly toReview?:
    | ((decisions: readonly Decision[], from: { olderJournal: boolean }) => Promise<void>)
    | undefined
  /** Whether a worker may be about to give its journal a name when the first call comes. */
  readonly workersRun?: boolean
}

/**
 * Moves decisions from the workers' journals into the store. The function it returns resolves when
 * everything appended before its call is in the store. Stopped anywhere, the next run starts from
 * what is still in the journals: adding is idempotent, and a file goes only after what it holds was
 * added.
 */
export function journalFolder({
  journal,
  decisions,
  onFolded,
  toReview,
  workersRun = false,
}: FolderOptions): () => Promise<FoldReport> {
  let tidied = workersRun
  /**
   * How far open files were read, by directory and number, which outlive the renaming at their end.
   */
  const readTo = new Map<string, Pick<Taken, "end" | "older">>()

  /**
   * Open files whose beginning cannot be read: they are set aside when nobody writes to them any
   * more.
   */
  const damagedOnes = new Set<string>()

  /** Reads what a file has that is not folded yet; null where it was already folded and deleted. */
  function take(segment: Segment): Taken | null {
    const place = `${segment.directory} ${segment.number}`
    const before = readTo.get(place) ?? { end: 0, older: false }
    const read = readSegment(segment, before.end)
    if (read === null) return null
    const lines = decisionsIn(read.bytes, before.end)
    if (lines.damaged || read.unreadable) damagedOnes.add(place)
    const older = lines.older || before.older
    return { ...lines, older, place, segment: { ...segment, closed: read.closed } }
  }

  /** Called when what was taken is in the store. */
  function settle(taken: Taken, ownerDead: boolean): FoldReport {
    const { place, segment, torn, rest } = taken
    if (!segment.closed && !ownerDead) {
      readTo.set(place, { end: taken.end, older: taken.older })
      return { folded: 0, torn, damaged: 0 }
    }
    const aside = damagedOnes.has(place)
    if (aside) setAside(journal, segment)
    else rmSync(segmentPath(segment))
    readTo.delete(place)
    damagedOnes.delete(place)
    return { folded: 0, torn: torn + (rest ? 1 : 0), damaged: aside ? 1 : 0 }
  }

  /**
   * Folds the first files of all workers, then the second ones and so on: what they decided at the
   * same time reaches the store together. A worker whose journal cannot be read stops none of the
   * others.
   */
  async function foldWorkers(workers: WorkerJournal[], failures: unknown[]): Promise<FoldReport> {
    let report = NOTHING
    while (workers.some(({ segments }) => segments.length > 0)) {
      const round: { readonly worker: WorkerJournal; readonly taken: Taken }[] = []
      for (const worker of workers) {
        const segment = worker.segments.shift()
        if (segment === undefined) continue
        try {
          const taken = take(segment)
          if (taken !== null) round.push({ worker, taken })
        } catch (error) {
          worker.segments = []
          worker.failed = true
          failures.push(error)
        }
      }
      const found = round.flatMap(({ taken }) => taken.found)
      if (found.length > 0) {
        await decisions.add(found)
        await onFolded?.(found.map(foldedDecision))
        for (const olderJournal of [true, false]) {
          const some = round.flatMap(({ taken }) =>
            taken.older === olderJournal ? taken.found : [],
          )
          if (some.length > 0) await toReview?.(some, { olderJournal })
        }
      }
      report = sum(report, { ...NOTHING, folded: found.length })
      for (const { worker, taken } of round)
        report = sum(report, settle(taken, worker.lock !== null))
    }
    return report
  }

  return oneAtATime(async () => {
    // Only at the start, when no worker of this service is about to give one its name.
    if (!tidied) removeUnnamed(journal)
    tidied = true
    const workers: WorkerJournal[] = []
    const failures: unknown[] = []
    try {
      for (const directory of workerDirectories(journal)) {
        try {
          // Take the lock before listing the files: everything a process wrote before it died is
          // then there.
          const lock = lockDataDirectory(directory)
          const worker: WorkerJournal = { directory, lock, segments: [], failed: true }
          workers.push(worker)
          worker.segments = segmentsOf(directory)
          worker.failed = false
        } catch (error) {
          failures.push(error)
        }
      }
      const report = await foldWorkers(workers, failures)
      for (const { directory, lock, failed } of workers)
        if (lock !== null && !failed) rmSync(directory, { recursive: true })
      if (failures.length > 0) throw failures[0] as Error
      return report
    } finally {
      for (const { lock } of workers) lock?.release()
    }
  })
}

interface WorkerJournal {
  readonly directory: string
  /** Null while the worker lives. */
  readonly lock: { release(): void } | null
  /** Those that are not folded yet. */
  segments: Segment[]
  failed: boolean
}

interface Taken extends Lines {
  readonly place: string
  readonly segment: Segment
}

function sum(a: FoldReport, b: FoldReport): FoldReport {
  return { folded: a.folded + b.folded, torn: a.torn + b.torn, damaged: a.damaged + b.damaged }
}

/** Decisions that are not in the store yet, for reading only: nothing is changed or removed. */
export function unfoldedDecisions(journal: string): Decision[] {
  return workerDirectories(journal)
    .flatMap(segmentsOf)
    .flatMap((segment) => {
      const read = readSegment(segment, 0)
      return read === null ? [] : decisionsIn(read.bytes, 0).found
    })
}

export function foldedDecision({
  tenantId,
  identityKey,
  identityType,
  at,
}: Decision): FoldedDecision {
  return { tenantId, identityKey, identityType, atMs: at }
}

interface ReadSegment {
  readonly bytes: Buffer
  readonly closed: boolean
  /** The disk cannot read it, or it is no file. */
  readonly unreadable: boolean
}

/**
 * What a file holds past `from`, and whether it was closed when it was read; null if it was already
 * folded and deleted.
 */
function readSegment(segment: Segment, from: number): ReadSegment | null {
  // An open file may be closed, and so renamed, after it was listed.
  for (const closed of segment.closed ? [true] : [false, true]) {
    try {
      const bytes = bytesFrom(segmentPath({ ...segment, closed }), from)
      return { bytes, closed, unreadable: false }
    } catch (error) {
      if (isMissing(error)) continue
      if (!UNREADABLE.has((error as NodeJS.ErrnoException).code)) throw error
      return { bytes: Buffer.alloc(0), closed, unreadable: true }
    }
  }
  return null
}

const UNREADABLE: ReadonlySet<unknown> = new Set(["EIO", "EISDIR", "EBADMSG", "EUCLEAN"])

function bytesFrom(path: string, from: number): Buffer {
  const fd = openSync(path, "r")
  try {
    const bytes = Buffer.allocUnsafe(Math.max(0, fstatSync(fd).size - from))
    let at = 0
    while (at < bytes.length) {
      const count = readSync(fd, bytes, at, bytes.length - at, from + at)
      if (count === 0) break
      at += count
    }
    return bytes.subarray(0, at)
  } finally {
    closeSync(fd)
  }
}

interface Lines {
  readonly found: Decision[]
  readonly torn: number
  /** Where the last whole line ends, counted from the start of the file. */
  readonly end: number
  /** Whether anything follows it: a line still being written, or one that never will be. */
  readonly rest: boolean
  /** The file does not begin as one of this format. */
  readonly damaged: boolean
  /** It begins as one of an older format; false where its beginning was not read. */
  readonly older: boolean
}

const LINE_FEED = 10
const HEADERS = [JOURNAL_HEADER, ...OLDER_HEADERS]

function decisionsIn(bytes: Buffer, from: number): Lines {
  const whole = bytes.lastIndexOf(LINE_FEED) + 1
  const headerEnd = from === 0 ? bytes.indexOf(LINE_FEED) + 1 : 0
  const { found, torn } = readJournalLines(bytes.toString("utf8", headerEnd, whole))
  const damaged = from === 0 && !HEADERS.some((header) => header.startsWith(beginning(bytes)))
  if (damaged && found.length === 0 && headerEnd > 0)
    refuseNewerFormat(bytes.toString("utf8", 0, headerEnd - 1))
  return {
    found,
    torn,
    end: from + whole,
    rest: whole < bytes.length,
    damaged,
    older: from === 0 && OLDER_HEADERS.includes(beginning(bytes)),
  }
}

/** As much as a header is long; less where a worker died while it wrote it. */
function beginning(bytes: Buffer): string {
  return bytes.toString("latin1", 0, JOURNAL_HEADER.length)
}

/**
 * Lines of a newer format cannot be read. A header with a flipped digit still has our lines below
 * it.
 */
function refuseNewerFormat(header: string): void {
  if (!/^assay decisions journal ([35-9]|[1-9]\d+)$/.test(header)) return
  throw new RecordsError(
    "newer-format",
    "A journal of decisions has a format this program does not know; use a newer Assay",
  )
}
