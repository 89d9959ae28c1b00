import type { DataDirectory } from "@assay/runtime/data-directory"
import type { Secrets } from "@assay/runtime/secrets"
import type {
  Batch,
  ExposureIndex,
  ImportRecipe,
  MergedSegment,
  SourceDescription,
} from "@assay/stores/exposure-index"
import type { AuditNote } from "@assay/stores/records"
import type { NodeProgram } from "@assay/runtime/children"
import type { Examined } from "./engine/examine.ts"
import type { ReadTally } from "./engine/reader.ts"
import type { TakenAs } from "./engine/taken-as.ts"
import type { FormatHints } from "./formats/head.ts"
import type { ImportHolder } from "./import-lock.ts"
import type { StreamSaid } from "./inputs/streamed-input.ts"
import type { RepeatedImport } from "./import-recipe.ts"
import type { KeptSegment } from "./kept-segment.ts"
import type { ImportPhase, PhaseTime } from "./phase-times.ts"
import type { SourceRequest } from "./source-request.ts"

export interface ImportRequest {
  readonly paths: readonly string[]
  /** Set where the input arrives on the standard input of this process; there are no paths then. */
  readonly streamed?: StreamSaid
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

/** The right to import, of one process on any node. */
export interface SharedTurn {
  /** Throws ImportFailure where another process may have it meanwhile. */
  require(): Promise<void>
  release(): Promise<void>
}

/** What an import uses of the machine and the service. */
export interface ImportReach {
  readonly directory: DataDirectory
  readonly secrets: Secrets
  readonly program: NodeProgram
  readonly pid: number
  readonly now: () => number
  /** Stops the import. Until its batch is live, nothing that is served has changed. */
  readonly signal: AbortSignal
  openIndex(): Promise<ExposureIndex>
  /** Takes its turn among the imports of all nodes, where several serve the index. */
  readonly sharedTurn?: (
    asked: Pick<ImportRequest, "wait"> & {
      readonly signal: AbortSignal
    },
  ) => Promise<SharedTurn>
  /**
   * Brings the segments of earlier imports that other nodes have and this one lacks. Throws
   * ImportFailure where none of them has one.
   */
  readonly bringSegments?: (onBegun: (segment: BroughtSegment) => void) => Promise<void>
  audit(entry: AuditNote): Promise<void>
  /**
   * Whether a live batch, which maybe another node imported, is in the audit trail; not given where
   * the note of its segment says so.
   */
  readonly isAudited?: (batch: Batch) => Promise<boolean>
  /** Tells that the batch of a report counts; may be told again after a failure. */
  tell?(report: ImportReport): Promise<void>
  /** Domains that somebody watches, so that their identities are counted. */
  watchedDomains?(): Promise<readonly string[]>
  /** Compacts the index, if imports have made it larger than it need be. */
  compact(onProgress: (done: number, total: number) => void): Promise<void>
}

/** One of `of` segments that come from other nodes. */
export interface BroughtSegment {
  readonly number: number
  readonly of: number
  readonly bytes: number
}

/** Receives the progress of an import. */
export interface ImportWatch {
  waits(holder: ImportHolder | null): void
  /** A segment of an earlier import comes from another node. */
  readonly brings?: (segment: BroughtSegment) => void
  /** What the input is. No row has been read or written yet. */
  examined(examined: Examined, source: SourceDescription, taken: ReadonlyMap<number, TakenAs>): void
  /** The segment of an earlier try is there in full, so nothing is read again. */
  resumes(): void
  progress(progress: ImportProgress): void
  compacts(done: number, total: number): void
  /** The batch is live, but something that follows was not done: the import throws next. */
  unfinished(report: ImportReport): void
}

export interface ImportProgress {
  readonly phase: ImportPhase
  readonly rows: number
  /** Rows read so far that were rejected; not said where rows are only counted. */
  readonly rejected?: number
  /**
   * Of `total`: bytes while examining and reading, rows while sorting and merging, steps while
   * measuring, identities while compacting. It never becomes less within a phase, nor does its
   * share of the total, and each phase ends with all of it.
   */
  readonly done: number
  /** null until the amount of work is known. */
  readonly total: number | null
}

export interface ImportReport {
  /** False: exactly this was imported before, and nothing changed. */
  readonly changed: boolean
  /**
   * The batch was live already, and this run completed the steps that an earlier try left undone.
   */
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
  /** Of all processes of the import together, in bytes; null if the system does not report it. */
  readonly peakMemory: number | null
  /** Where its time went. */
  readonly phases: readonly PhaseTime[]
}

/**
 * By number: what the rows of a member are taken for. Members that are passed over are not in it.
 */
export type TakenMembers = ReadonlyMap<number, TakenAs>

/** One import under way. */
export interface ImportWork {
  readonly request: ImportRequest
  readonly reach: ImportReach
  readonly watch: ImportWatch
  readonly index: ExposureIndex
  readonly source: SourceDescription
  readonly keyedAs: ImportRecipe["keyedAs"]
  readonly taken: TakenMembers
  /** False: the source becomes of the kind that most of its rows are. */
  readonly kindIsKnown: boolean
  readonly fingerprint: string
  readonly kept: KeptSegment | null
}

/** What reading and sorting need of an import: of a stream, no more is known before. */
export type SegmentWork = Pick<ImportWork, "request" | "reach" | "watch" | "keyedAs" | "taken">
