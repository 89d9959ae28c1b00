import type { Batch, Catalogue } from "@assay/stores/exposure-index"
import type { EventRecords, NewEvent } from "@assay/stores/records-events"
import type { Settling } from "../http/feature.ts"
import { eventOfState, finishedByCommand, toldSince } from "./import-events.ts"
import type { Imports } from "./imports.ts"

type Running = Imports & Required<Pick<Settling, "settleDue" | "idle">> & Settling

interface TellingOptions {
  readonly imports: Running
  readonly catalogue: () => Promise<Catalogue>
  /** Whether a process imports, the command's included. */
  readonly isImporting: () => Promise<boolean>
  readonly addEvents: EventRecords["addEvents"]
  readonly now: () => number
}

/**
 * Imports whose end is told by an event of the service. What is told follows from the states that
 * are kept, by ids that follow from them too: a service that was killed before it told goes on
 * where it was, and none is told twice. The command tells of its imports itself; of one that was
 * killed before it did, the catalogue says that its batch counts.
 */
export function tellImports(options: TellingOptions): Running {
  const { imports, catalogue, isImporting, addEvents, now } = options
  const told = new Set<string>()
  let toldVersion: number | null = null

  /** Of batches that the command imported since the last call. */
  async function tellBatches(): Promise<void> {
    const { version, batches, sources } = await catalogue()
    // Asked afterwards: a command that has ended by now has told what is in this catalogue.
    if (version === toldVersion || (await isImporting())) return
    const events = [...batches.values()].filter(isOfCommand).flatMap((batch): NewEvent[] => {
      const source = sources.get(batch.sourceId)?.name
      if (source === undefined || (batch.liveAt ?? 0) < toldSince(now())) return []
      return [finishedByCommand(batch, source, null, now())]
    })
    if (events.length > 0) await addEvents(events)
    toldVersion = version
  }

  return {
    ...imports,
    // Of this node's own imports.
    everywhere: true,
    async settleDue() {
      await imports.settleDue()
      const ended = (await imports.list()).filter(({ id }) => !told.has(id))
      const events = ended.flatMap((state) => eventOfState(state, now()) ?? [])
      if (events.length > 0) await addEvents(events)
      for (const { id, state } of ended) if (state !== "running") told.add(id)
      await tellBatches()
    },
  }
}

function isOfCommand({ owner, state, importedBy }: Batch): boolean {
  return owner === "shared" && state === "live" && importedBy?.startsWith("shell:") === true
}
