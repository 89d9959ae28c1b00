import type { Asker } from "../base/asker.ts"
import type { Config } from "../base/config.ts"
import type { Log } from "@assay/runtime/log"
import { Problem } from "../base/problem.ts"
import { type DecisionRecorder, decisionsOff } from "../score/decision-draft.ts"
import { newDecisionId } from "@assay/stores/decision-id"
import { type Journal, openJournal } from "./journal.ts"
import type { RequestTag } from "./request-tag.ts"
import { journalLine } from "./journal-line.ts"

export interface JournalRecorder extends DecisionRecorder {
  /** Called each second. */
  keep(): Promise<void>
  close(): Promise<void>
}

/** A decision that is with the journal, and who waits for it to be written. */
interface Waiting {
  readonly id: string
  readonly asker: Asker<string | null>
}

interface RecorderOptions {
  readonly mode: Config["decisions"]
  /** The directory of all journals. */
  readonly path: string
  readonly requestTag: RequestTag
  readonly log: Log
  readonly onUnrecorded: () => void
}

/** Records each decision in this worker's journal, before the reply that names it. */
export function openRecorder(options: RecorderOptions): JournalRecorder {
  const { mode, path } = options
  if (mode === "off")
    return { ...decisionsOff, keep: async () => undefined, close: async () => undefined }
  return recorderTo(openJournal(path), { ...options, mode })
}

export function recorderTo(
  journal: Journal,
  {
    mode,
    requestTag,
    log,
    onUnrecorded,
  }: Omit<RecorderOptions, "path" | "mode"> & { readonly mode: "on" | "required" },
): JournalRecorder {
  let unrecorded = 0
  let reason: unknown = null
  // The decisions of one turn of the event loop are written together, and share a promise.
  let turn: Promise<void> | null = null
  let waiting: Waiting[] = []

  const refuse = (error: unknown, asker: Asker<string | null>): void => {
    unrecorded++
    reason = error
    onUnrecorded()
    if (mode === "on") asker.answered(null)
    else
      asker.failed(
        new Problem("decision-not-recorded", "Nothing was evaluated.", {
          cause: error,
          headers: { "retry-after": "2" },
        }),
      )
  }
  const settle = (writing: Promise<void>): void => {
    const written = (waiting = [] as Waiting[])
    writing.then(
      () => {
        for (const { id, asker } of written) asker.answered(id)
      },
      (error: unknown) => {
        for (const { asker } of written) refuse(error, asker)
      },
    )
  }

  return {
    record(draft, asker) {
      const { atMs, requestId } = draft
      const id = newDecisionId(atMs, requestId === null ? "" : requestTag(requestId))
      const writing = journal.append(journalLine(id, draft))
      if (writing !== turn) settle((turn = writing))
      waiting.push({ id, asker })
    },
    async keep() {
      // One line a second, however many requests it concerns.
      if (unrecorded > 0)
        log.error("decisions could not be recorded", { count: unrecorded, error: reason })
      unrecorded = 0
      await journal
        .keep()
        .catch((error: unknown) =>
          log.error("decisions could not be brought to the disk", { error }),
        )
    },
    async close() {
      await this.keep()
      await journal
        .close()
        .catch((error: unknown) =>
          log.error("decisions could not be brought to the disk", { error }),
        )
    },
  }
}
