import type { Decisions, DecisionsReader } from "./decisions.ts"
import type { MoveFailed } from "./older-move.ts"
import type { RecordsCopy } from "./records-copy.ts"
import type { Records } from "./records.ts"

/** Where records and decisions are. */
export interface DatabasePlace {
  readonly dataDirectory: string
  /** Null: they are in the data directory. */
  readonly databaseUrl: string | null
}

export interface DatabaseUse {
  /** How many connections this process may hold, where the engine has connections. */
  readonly connections?: number
}

export interface RecordsUse extends DatabaseUse {
  readonly readOnly?: boolean
  /**
   * The key under which changes are noted in the audit trail. Without it nothing that is noted can
   * be changed.
   */
  readonly auditKey?: Uint8Array
  /** Called after each commit in which events, or deliveries of them, may have been added. */
  readonly onEvents?: () => void
}

export interface RecordsCopyUse {
  readonly readOnly: boolean
  /** For rows whose audit trail is not chained yet. */
  readonly auditKey?: Uint8Array
}

export interface DecisionsUse extends DatabaseUse {
  /** Called when decisions of an older program could not be moved. They are still found. */
  readonly moveFailed?: MoveFailed
}

/** A database before it is opened. Its driver is loaded by whichever method is called first. */
export interface Database {
  /** As `assay doctor` prints it. */
  readonly name: string
  /** Whether several services may use it at the same time. */
  readonly isShared: boolean
  openRecords(use: RecordsUse): Promise<Records>
  /** The rows of the records, to be copied or put back. */
  copyRecords(use: RecordsCopyUse): Promise<RecordsCopy>
  /** False where no decision was ever stored; true where that is not known without a driver. */
  mayHoldDecisions(): boolean
  openDecisions(use: DecisionsUse): Promise<Decisions>
  /** Decisions that another process writes. */
  readDecisions(use: DatabaseUse): Promise<DecisionsReader>
}

/** A kind of database that a URL can name. */
export interface DatabaseEngine {
  /** What DATABASE_URL takes for it, for the message that refuses another URL. */
  readonly takes: string
  /** Null: the URL is not one of this engine's. */
  at(url: string): Database | null
}
