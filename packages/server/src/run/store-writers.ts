import { extname } from "node:path"
import { inThread } from "@assay/runtime/children"
import type { MoveFailed } from "@assay/stores/older-move"
import type { Records } from "@assay/stores/records"
import type { OnFolded } from "../decisions/fold.ts"
import { recordsFault } from "../base/records-fault.ts"
import {
  decisionsPort,
  type DecisionsThreadData,
  type DecisionsWriter,
  recordsPort,
  type RecordsThreadData,
} from "./ports.ts"

/**
 * The one writer of the records: a thread, because SQLite waits for the disk on every commit and
 * the primary's own loop must keep granting leases meanwhile.
 */
export async function openRecordsWriter(
  place: RecordsThreadData,
  { onEvents, answerMs = 30_000 }: { readonly onEvents: () => void; readonly answerMs?: number },
): Promise<Records> {
  const module = new URL(`./records-thread${extname(import.meta.filename)}`, import.meta.url)
  const records = inThread(module, place, recordsPort, {
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

interface WriterOptions extends DecisionsThreadData {
  readonly onFolded: OnFolded
  readonly addReviews: Records["addReviews"]
  readonly moveFailed: MoveFailed
}

/** A first fold may find the journals of a long time in which the store was away. */
const FOLD_MS = 10 * 60_000
/** A store that hangs may not answer even this; nothing is lost by ending the thread. */
const CLOSE_MS = 5_000

/**
 * The one writer of the decisions, in a thread of its own: a second's decisions of a busy service
 * are more than the records should wait for.
 */
export function openDecisionsWriter({
  place,
  journal,
  models,
  reviewDays,
  onFolded,
  addReviews,
  moveFailed,
}: WriterOptions): DecisionsWriter {
  const module = new URL(`./decisions-thread${extname(import.meta.filename)}`, import.meta.url)
  const workerData: DecisionsThreadData = { place, journal, models, reviewDays }
  return inThread(module, workerData, decisionsPort, {
    callMs: FOLD_MS,
    deadlines: { close: CLOSE_MS },
    methods: { onFolded, addReviews, moveFailed: async (code: string) => moveFailed(code) },
  })
}
