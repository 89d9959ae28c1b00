import type { Config } from "../base/config.ts"
import type { Log } from "@assay/runtime/log"
import { Problem } from "../base/problem.ts"
import { type DecisionRecorder, decisionsOff } from "../score/decision-draft.ts"
import { newDecisionId } from "@assay/stores/decision-id"
import { type Journal, openJournal } from "./journal.ts"
import { journalLine } from "./journal-line.ts"

export interface JournalRecorder extends DecisionRecorder {
  /** Called each second. */
  keep(): Promise<void>
  close(): Promise<void>
}

interface RecorderOptions {
  readonly mode: Config["decisions"]
  /** The directory of all journals. */
  readonly path: string
  readonly log: Log
  readonly onUnrecorded: () => void
}

/** Records each decision in this worker's journal, before the reply that names it. */
export function openRecorder({ mode, path, log, onUnrecorded }: RecorderOptions): JournalRecorder {
  if (mode === "off")
    return { ...decisionsOff, keep: async () => undefined, close: async () => undefined }
  return recorderTo(openJournal(path), mode, log, onUnrecorded)
}

export function recorderTo(
  journal: Journal,
  mode: "on" | "required",
  log: Log,
  onUnrecorded: () => void,
): JournalRecorder {
  let unrecorded = 0
  let reason: unknown = null
  return {
    async record(draft) {
      const id = newDecisionId(draft.atMs)
      const line = journalLine(id, draft)
      try {
        await journal.append(line)
        return id
      } catch (error) {
        unrecorded++
        reason = error
        onUnrecorded()
        if (mode === "on") return null
        throw new Problem("decision-not-recorded", "Nothing was evaluated.", {
          cause: error,
          headers: { "retry-after": "2" },
        })
      }
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
