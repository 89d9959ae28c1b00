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
  | { readonly type: "progress"; readonly progress: ImportProgress }
  | { readonly type: "done"; readonly report: ImportReport }
  /** In words that hold nothing of the input. */
  | { readonly type: "failed"; readonly code: FailureCode | "other"; readonly message: string }

/** What the service says to it; any other end of the pipe stops it as well. */
export type TakenOrder =
  { readonly type: "import"; readonly taken: TakenImport } | { readonly type: "stop" }
