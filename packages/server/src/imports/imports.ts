import type { TakenImport } from "@assay/corpus/taken-import"
import { writerPort } from "../base/writer-port.ts"
import type { ImportCounts } from "./import-metrics.ts"
import type { KeptState } from "./import-states.ts"

/** An import that is about to begin. */
export interface BegunImport {
  readonly id: string
  /** Where the bytes of an upload go to; null where a file of the folder is imported. */
  readonly socket: string | null
}

/** Runs imports, in the primary: they belong to the service and not to whoever began them. */
export interface Imports {
  /** null where one runs already. */
  begin(taken: TakenImport): Promise<BegunImport | null>
  /** The newest first. */
  list(): Promise<KeptState[]>
  /** As it is; null where there is no such import. */
  get(id: string): Promise<KeptState | null>
  /** As it is once its input was read or it has ended, or after a while. */
  read(id: string): Promise<KeptState | null>
  /** False where it does not run. */
  stop(id: string): Promise<boolean>
  /** What became of imports since the service was started, for metrics. */
  counts(): Promise<ImportCounts>
}

export const importsPort = writerPort<Imports>(
  "imports",
  { begin: true, list: true, get: true, read: true, stop: true, counts: true },
  { failed: "Imports cannot be reached" },
)
