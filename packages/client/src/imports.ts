import {
  IMPORT_PREVIEW_BYTES,
  type ImportFileRequest,
  type ImportList,
  type ImportPreview,
  type ImportQuery,
  type ImportState,
} from "@assay/core/contract"
import { ask } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, query, sender } from "./request.ts"
import { answerOf } from "./response.ts"
import { idIn, type Send } from "./sent.ts"

/** Files that become evidence of a source, for administrators of the service. */
export interface ImportCalls {
  /** What runs and what ran since the service was started, the newest first. */
  list(options?: CallOptions): Promise<ImportList>
  /** Sends the beginning of a file, and gives what it was recognised as. */
  preview(
    file: Blob,
    hints?: Pick<ImportQuery, "format" | "map">,
    options?: CallOptions,
  ): Promise<ImportPreview>
  /**
   * Sends a file. Resolves when all of it was taken, however long that takes; the list says what
   * becomes of it.
   */
  upload(file: Blob, said: ImportQuery, options?: CallOptions): Promise<ImportState>
  /** Imports a file that is in the import folder of the service. */
  fromFolder(request: ImportFileRequest, options?: CallOptions): Promise<ImportState>
  cancel(id: string, options?: CallOptions): Promise<ImportState>
}

const OCTETS = "application/octet-stream"
const POST = {
  method: "POST",
  contentType: OCTETS,
  headers: { accept: "application/json" },
} as const
const PREVIEW_MS = 60_000

export function importCalls(settings: Settings<Failover>, send: Send): ImportCalls {
  return {
    list: (options) => send("GET", "/corpus/imports", "imports", { options }),
    async preview(file, hints = {}, options = {}) {
      const path = `/api/v1/corpus/preview${query({ ...hints })}`
      const body = file.slice(0, IMPORT_PREVIEW_BYTES)
      const question = { ...POST, path, body, timeoutMs: PREVIEW_MS, repeatable: true }
      return (await ask(settings, question, options, (response) =>
        answerOf(response, 200, (answer) => answer?.["rows"] !== undefined),
      )) as unknown as ImportPreview
    },
    async upload(file, said, { signal, requestId } = {}) {
      const path = `/api/v1/corpus/imports${query({ ...said })}`
      // Without a time: only the caller's own signal ends it before.
      const response = await sender(settings, { ...POST, path, requestId })(
        file,
        signal ?? new AbortController().signal,
      )
      return (await answerOf(
        response,
        202,
        (answer) => answer?.["id"] !== undefined,
      )) as unknown as ImportState
    },
    async fromFolder(body, options = {}) {
      const question = {
        method: "POST",
        path: "/api/v1/corpus/imports/file",
        body: JSON.stringify(body),
        repeatable: false,
      } as const
      return (await ask(settings, question, options, (response) =>
        answerOf(response, 202, (answer) => answer?.["id"] !== undefined),
      )) as unknown as ImportState
    },
    cancel: (id, options) => send("DELETE", `/corpus/imports/${idIn(id)}`, "id", { options }),
  }
}
