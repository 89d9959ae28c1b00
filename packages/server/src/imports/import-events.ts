import { createHash, randomBytes } from "node:crypto"
import { EVENT_DAYS, type EventData } from "@assay/core/contract"
import { DAY_MS } from "@assay/runtime/time"
import { derivedEventId, eventId } from "@assay/stores/event-id"
import type { Batch } from "@assay/stores/exposure-index"
import type { NewEvent } from "@assay/stores/records-events"
import type { KeptState } from "./import-states.ts"

/** From when on an event is kept: what ended before is not told any more. */
export function toldSince(nowMs: number): number {
  return nowMs - EVENT_DAYS * DAY_MS
}

/** How an import over HTTP ended; null for one that runs, that somebody stopped, or that is old. */
export function eventOfState(state: KeptState, nowMs: number): NewEvent | null {
  const at = state.ended_at === null ? null : Date.parse(state.ended_at)
  if (at === null || at < toldSince(nowMs)) return null
  const { id: import_id, source } = state
  if (state.state === "done")
    return finished(derivedEventId(["import.finished", import_id]), at, {
      import_id,
      source,
      report: state.report && countsOf(state.report),
    })
  if (state.state !== "failed") return null
  const [code, detail] = [state.code ?? "other", state.detail ?? ""]
  const data = { import_id, source, code, detail }
  return failed(derivedEventId(["import.failed", import_id]), at, data)
}

/**
 * That the batch of an import by the command counts. The id follows from the batch, so that it is
 * told once, by the command or by the service that finds the batch.
 */
export function finishedByCommand(
  { id, fingerprint, liveAt }: Batch,
  source: string,
  report: KeptState["report"],
  nowMs: number,
): NewEvent {
  const name = createHash("sha256").update(`${id} ${fingerprint}`).digest("hex")
  return finished(derivedEventId(["import.finished", fingerprint, id]), liveAt ?? nowMs, {
    import_id: `imp_${name.slice(0, IMPORT_ID_DIGITS)}`,
    source,
    report: report && countsOf(report),
  })
}

/** Messages of the command name files, which are filed under people and machines. */
const SEE_COMMAND = "The command printed why."

export function failedByCommand(source: string, code: string, nowMs: number): NewEvent {
  const import_id = `imp_${randomBytes(IMPORT_ID_DIGITS / 2).toString("hex")}`
  return failed(eventId(), nowMs, { import_id, source, code, detail: SEE_COMMAND })
}

const IMPORT_ID_DIGITS = 24

function finished(id: string, at: number, data: EventData<"import.finished">): NewEvent {
  return { ...OF_SERVICE, id, kind: "import.finished", at, data }
}

function failed(id: string, at: number, data: EventData<"import.failed">): NewEvent {
  return { ...OF_SERVICE, id, kind: "import.failed", at, data }
}

const OF_SERVICE = { tenantId: null, ref: null, identityKey: null, sealed: null } as const

function countsOf(
  report: NonNullable<KeptState["report"]>,
): EventData<"import.finished">["report"] {
  const { batch, rows, imported, known, repeated, rejected, identities } = report
  return { batch, rows, imported, known, repeated, rejected, identities }
}
