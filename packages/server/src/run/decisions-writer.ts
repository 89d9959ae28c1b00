import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import type { FoldReport, OnFolded } from "../decisions/fold.ts"
import type { DatabasePlace } from "@assay/stores/database"
import type { Decision, Decisions } from "@assay/stores/decisions"
import { threadChannel } from "@assay/runtime/channels"
import { serve, openCalls } from "@assay/runtime/rpc"
import type { DecisionsThreadData } from "./decisions-place.ts"

interface WriterOptions {
  readonly place: DatabasePlace
  /** The directory of the workers' journals. */
  readonly journal: string
  readonly onFolded: OnFolded
}

/** The one writer of the decisions. */
export interface DecisionsWriter extends Pick<
  Decisions,
  "forgetBefore" | "ofIdentity" | "eraseIdentity"
> {
  /** Brings everything the workers have appended so far into the store. */
  fold(): Promise<FoldReport>
  close(): Promise<void>
}

/** A first fold may find the journals of a long time in which the store was away. */
const FOLD_MS = 10 * 60_000
const CLOSE_MS = 5_000

/**
 * A thread of its own: a second's decisions of a busy service are more than the records should wait
 * for.
 */
export function openDecisionsWriter({ place, journal, onFolded }: WriterOptions): DecisionsWriter {
  const entry = new URL(`./decisions-thread${extname(import.meta.filename)}`, import.meta.url)
  const workerData: DecisionsThreadData = { place, journal }
  const thread = new Worker(entry, { workerData })
  const channel = threadChannel(thread)
  serve(channel, { onFolded })
  const within = openCalls(channel)
  const call = within(FOLD_MS)
  return {
    fold: async () => (await call("fold")) as FoldReport,
    forgetBefore: async (day) => (await call("forgetBefore", day)) as number,
    ofIdentity: async (query) => (await call("ofIdentity", query)) as Decision[],
    eraseIdentity: async (erasure) => (await call("eraseIdentity", erasure)) as number,
    async close() {
      // A store that hangs may not answer even this; nothing is lost by ending the thread.
      await within(CLOSE_MS)("close").finally(() => thread.terminate())
    },
  }
}
