import { EVENT_DAYS, type EventData, type ImportState } from "@assay/core/contract"
import { DAY_MS } from "@assay/runtime/time"
import { derivedEventId } from "@assay/stores/event-id"
import type { EventRecords, NewEvent } from "@assay/stores/records-events"
import type { Settling } from "../http/feature.ts"
import type { Imports } from "./imports.ts"

type Running = Imports & Required<Pick<Settling, "settleDue" | "idle">>

interface TellingOptions {
  readonly imports: Running
  readonly addEvents: EventRecords["addEvents"]
  readonly now: () => number
}

/**
 * Imports whose end is told by an event of the service. What is told follows from the states that
 * are kept, by ids that follow from them too: a service that was killed before it told goes on
 * where it was, and none is told twice.
 */
export function tellImports({ imports, addEvents, now }: TellingOptions): Running {
  const told = new Set<string>()
  return {
    ...imports,
    async settleDue() {
      await imports.settleDue()
      const ended = (await imports.list()).filter(({ id }) => !told.has(id))
      const events = ended.flatMap((state) => eventOf(state, now()) ?? [])
      if (events.length > 0) await addEvents(events)
      for (const { id, state } of ended) if (state !== "running") told.add(id)
    },
  }
}

/** null for one that runs, that somebody stopped, or that ended too long ago. */
function eventOf(state: ImportState, nowMs: number): NewEvent | null {
  const at = state.ended_at === null ? null : Date.parse(state.ended_at)
  if (at === null || at < nowMs - EVENT_DAYS * DAY_MS) return null
  const told = { tenantId: null, at, ref: null, identityKey: null, sealed: null }
  const { id: import_id, source } = state
  if (state.state === "done") {
    const data: EventData<"import.finished"> = { import_id, source, report: reportOf(state) }
    const kind = "import.finished"
    return { ...told, id: derivedEventId([kind, import_id]), kind, data }
  }
  if (state.state !== "failed") return null
  const [code, detail] = [state.code ?? "other", state.detail ?? ""]
  const data: EventData<"import.failed"> = { import_id, source, code, detail }
  const kind = "import.failed"
  return { ...told, id: derivedEventId([kind, import_id]), kind, data }
}

function reportOf({ report }: ImportState): EventData<"import.finished">["report"] {
  if (report === null) return null
  const { batch, rows, imported, known, repeated, rejected, identities } = report
  return { batch, rows, imported, known, repeated, rejected, identities }
}
