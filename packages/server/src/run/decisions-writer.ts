import { extname } from "node:path"
import { inThread } from "@assay/runtime/children"
import { portOf } from "@assay/runtime/rpc"
import type { DatabasePlace } from "@assay/stores/database"
import type { Decisions } from "@assay/stores/decisions"
import type { FoldReport, OnFolded } from "../decisions/fold.ts"

/** The one writer of the decisions. */
export interface DecisionsWriter extends Pick<
  Decisions,
  "forgetBefore" | "ofIdentity" | "eraseIdentity"
> {
  /** Brings everything the workers have appended so far into the store. */
  fold(): Promise<FoldReport>
  close(): Promise<void>
}

export const decisionsPort = portOf<DecisionsWriter>("decisions", {
  fold: true,
  forgetBefore: true,
  ofIdentity: true,
  eraseIdentity: true,
  close: true,
})

/** What the thread is started with. */
export interface DecisionsThreadData {
  readonly place: DatabasePlace
  /** The directory of the workers' journals. */
  readonly journal: string
}

interface WriterOptions extends DecisionsThreadData {
  readonly onFolded: OnFolded
}

/** A first fold may find the journals of a long time in which the store was away. */
const FOLD_MS = 10 * 60_000
/** A store that hangs may not answer even this; nothing is lost by ending the thread. */
const CLOSE_MS = 5_000

/**
 * A thread of its own: a second's decisions of a busy service are more than the records should wait
 * for.
 */
export function openDecisionsWriter({ place, journal, onFolded }: WriterOptions): DecisionsWriter {
  const module = new URL(`./decisions-thread${extname(import.meta.filename)}`, import.meta.url)
  const workerData: DecisionsThreadData = { place, journal }
  return inThread(module, workerData, decisionsPort, {
    callMs: FOLD_MS,
    deadlines: { close: CLOSE_MS },
    methods: { onFolded },
  })
}
