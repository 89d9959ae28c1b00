import { extname } from "node:path"
import { startThread } from "@assay/runtime/children"
import type { Log } from "@assay/runtime/log"
import { openCalls, remote } from "@assay/runtime/rpc"
import { RecordsError } from "@assay/stores/records-error"
import { recordsFault } from "../base/records-fault.ts"
import {
  type ComparisonThreadData,
  comparisonsPort,
  type ThreadComparisons,
  type WantedComparison,
} from "./comparisons-port.ts"

/** Compares past decisions with what another policy makes of them. */
export interface Comparisons {
  /** The text of its lines, some at a time or none; it ends with whoever reads them. */
  lines(wanted: WantedComparison): AsyncGenerator<string>
}

interface ComparisonsOptions extends ComparisonThreadData {
  /** Brings decisions that were just made to where the thread reads. */
  readonly fold: () => Promise<void>
  /** Waits until other nodes have done so. */
  readonly othersSettled: () => Promise<void>
  readonly log: Log
}

/** A page of decisions that are long, on a machine that is busy. */
const CALL_MS = 120_000

/**
 * In one thread for all of a worker's, because a page of decisions takes longer than a request may
 * wait. There is a thread while there is something to compare.
 */
export function openComparisons({
  fold,
  othersSettled,
  log,
  ...data
}: ComparisonsOptions): Comparisons {
  const module = new URL(`./comparison-thread${extname(import.meta.filename)}`, import.meta.url)
  let used: { readonly comparisons: ThreadComparisons; by: number } | null = null

  function start(): ThreadComparisons {
    const thread = startThread(module, data, (error) => {
      // Whoever waits for it hears that it has ended; the next comparison gets another one.
      log.error("the thread that compares decisions failed", { error })
      used = null
    })
    const comparisons = remote(comparisonsPort, openCalls(thread.channel)(CALL_MS), recordsFault)
    return { ...comparisons, close: () => comparisons.close().finally(thread.kill) }
  }

  return {
    async *lines(wanted) {
      await fold()
      // A node that was killed does not keep a comparison from everybody: what it has not told
      // is missing, as in lists.
      await othersSettled().catch((error: unknown) => {
        if (!(error instanceof RecordsError)) throw error
      })
      const thread = (used ??= { comparisons: start(), by: 0 })
      thread.by++
      const { comparisons } = thread
      try {
        const comparison = await comparisons.begin(wanted)
        try {
          for (;;) {
            const lines = await comparisons.next(comparison)
            if (lines === null) return
            yield lines
          }
        } finally {
          await comparisons.end(comparison)
        }
      } finally {
        if (--thread.by === 0) {
          if (used === thread) used = null
          await comparisons.close()
        }
      }
    },
  }
}
