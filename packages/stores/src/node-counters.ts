import type { Counters } from "./counters.ts"
import type { Log } from "@assay/runtime/log"
import type { Metering } from "./records.ts"

/** The counters as the primary of a node has them. */
export interface NodeCounters {
  /** What one of its workers calls. Its number is unique within this primary. */
  of(worker: number): Counters
  /** A worker that is gone holds no streams any more. */
  forgetWorker(worker: number): void
  /** The time by which days and months are counted. */
  now(): number
  /**
   * Writes the identities admitted since to the records; called every second and before the end.
   */
  keep(): Promise<void>
  close(): Promise<void>
}

export interface NodeCountersUse {
  /** What was counted before: the counters may have forgotten it. */
  readonly records: CountedBefore
  /** The directory of recorded sign-ups, where the engine does not keep them itself. */
  readonly directory: string
  /** Milliseconds since 1970, by this machine. */
  readonly now: () => number
  /** Milliseconds that only ever grow. */
  readonly elapsed: () => number
  readonly log: Log
}

export type CountedBefore = Pick<
  Metering,
  "usage" | "usageOfMonth" | "addDailyIdentities" | "dailyIdentities"
>
