import type { FailureCode } from "./engine/import-failure.ts"
import type { ImportProgress, ImportReport, ImportRequest } from "./import-request.ts"

/** What the service has a process of its own import. */
export type TakenImport = Pick<
  ImportRequest,
  "paths" | "hints" | "source" | "importedBy" | "streamed"
>

/** What that process says while it works. */
export type TakenNews =
  /** It waits for its work. */
  | { readonly type: "ready" }
  | { readonly type: "progress"; readonly progress: TakenProgress }
  /** Its evidence counts, whatever follows. */
  | { readonly type: "live"; readonly report: ImportReport }
  | { readonly type: "done"; readonly decided: CountedDecided }
  /** In words that hold nothing of the input. */
  | { readonly type: "failed"; readonly code: FailureCode | "other"; readonly message: string }

/** As the import's own, and what follows it. */
export interface TakenProgress extends Omit<ImportProgress, "phase"> {
  readonly phase: ImportProgress["phase"] | "counting"
}

/**
 * How many identities of the batch were decided about in the last days, or why that is not known.
 */
export type CountedDecided =
  | { readonly identities: number; readonly days: number }
  | { readonly uncounted: string }

/** What the service says to it; any other end of the pipe stops it as well. */
export type TakenOrder =
  | { readonly type: "import"; readonly taken: TakenImport }
  | { readonly type: "stop" }
