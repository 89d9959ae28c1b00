import { extname } from "node:path"
import { inThread } from "@assay/runtime/children"
import { namesIn } from "@assay/runtime/if-present"
import type { MoveFailed } from "@assay/stores/older-move"
import { mayHoldDecisions } from "@assay/stores/open/open-database"
import { NOTHING, type OnFolded } from "../decisions/fold.ts"
import { recordsFault } from "../base/records-fault.ts"
import {
  decisionsPort,
  type DecisionsThreadData,
  type DecisionsWriter,
  type RecordsThreadData,
  type RecordsWriter,
  recordsWriterPort,
} from "./ports.ts"

/**
 * The one writer of the records: a thread, because SQLite waits for the disk on every commit and
 * the primary's own loop must keep granting leases meanwhile.
 */
export async function openRecordsWriter(
  place: RecordsThreadData,
  { onEvents, answerMs = 30_000 }: { readonly onEvents: () => void; readonly answerMs?: number },
): Promise<RecordsWriter> {
  const module = new URL(`./records-thread${extname(import.meta.filename)}`, import.meta.url)
  const records = inThread(module, place, recordsWriterPort, {
    callMs: answerMs,
    // As long as it takes to rewrite a large table. The engine limits what it may wait for.
    deadlines: { migrate: null },
    faultOf: recordsFault,
    methods: { onEvents: async () => onEvents() },
  })
  try {
    await records.migrate()
  } catch (error) {
    await records.close().catch(() => undefined)
    throw error
  }
  return records
}

interface WriterOptions extends Omit<DecisionsThreadData, "workersRun"> {
  readonly onFolded: OnFolded
  readonly addQueued: RecordsWriter["addQueued"]
  readonly moveFailed: MoveFailed
}

/** A first fold may find the journals of a long time in which the store was away. */
const FOLD_MS = 10 * 60_000
/** A store that hangs may not answer even this; nothing is lost by ending the thread. */
const CLOSE_MS = 5_000

/**
 * The one writer of the decisions, in a thread of its own: a second's decisions of a busy service
 * are more than the records should wait for. The thread starts when there are decisions to write or
 * to look for, so that a service that has made none goes without.
 */
export function openDecisionsWriter(options: WriterOptions): DecisionsWriter {
  const { place, journal } = options
  let thread: DecisionsWriter | null = null
  let workersRun = false
  const needed = (): DecisionsWriter => (thread ??= startDecisionsThread(options, workersRun))
  const isIdle = (): boolean =>
    thread === null && namesIn(journal).length === 0 && !mayHoldDecisions(place)
  return {
    async fold() {
      // The first call comes before workers begin. One that finds a journal has the thread tidy it.
      const idle = isIdle()
      const report = idle ? NOTHING : await needed().fold()
      workersRun = true
      return report
    },
    forgetBefore: async (day) => (isIdle() ? 0 : await needed().forgetBefore(day)),
    ofIdentity: async (...wanted) => await needed().ofIdentity(...wanted),
    eraseIdentity: async (...erasure) => await needed().eraseIdentity(...erasure),
    close: async () => await thread?.close(),
  }
}

function startDecisionsThread(
  { place, journal, models, reviewDays, onFolded, addQueued, moveFailed }: WriterOptions,
  workersRun: boolean,
): DecisionsWriter {
  const module = new URL(`./decisions-thread${extname(import.meta.filename)}`, import.meta.url)
  const workerData: DecisionsThreadData = { place, journal, models, reviewDays, workersRun }
  return inThread(module, workerData, decisionsPort, {
    callMs: FOLD_MS,
    deadlines: { close: CLOSE_MS },
    methods: { onFolded, addQueued, moveFailed: async (code: string) => moveFailed(code) },
  })
}
