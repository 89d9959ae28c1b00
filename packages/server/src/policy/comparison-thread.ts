import { readlinkSync } from "node:fs"
import { constants, platform, setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import { threadChannel } from "@assay/runtime/channels"
import { offer, serve } from "@assay/runtime/rpc"
import { readDecisions } from "@assay/stores/open/open-database"
import { scoringSettings } from "../accounts/tenant-settings.ts"
import { openModels } from "../score/models.ts"
import { proposalComparison } from "./backtest.ts"
import { shadowComparison } from "./comparison.ts"
import { comparisonLines } from "./comparison-lines.ts"
import {
  type ComparisonThreadData,
  comparisonsPort,
  type ThreadComparisons,
} from "./comparisons-port.ts"
import { decisionPages } from "./decision-pages.ts"

if (parentPort === null) throw new Error("comparison-thread runs as a thread of a worker")
const { place, models: directory } = workerData as ComparisonThreadData
letOthersGoFirst()
serve(threadChannel(parentPort), offer(comparisonsPort, open()))

async function open(): Promise<ThreadComparisons> {
  const decisions = await readDecisions(place, { connections: 1 })
  const models = openModels(directory)
  const running = new Map<number, ReturnType<typeof comparisonLines>>()
  let last = 0
  return {
    async begin({ tenantId, fromMs, nowMs, with: other }) {
      const pages = decisionPages(decisions, { tenantId, from: fromMs })
      const comparison =
        "proposal" in other
          ? proposalComparison.bind(null, { proposal: scoringSettings(other.proposal), models })
          : shadowComparison.bind(null, other.shadowVersion)
      running.set(++last, comparisonLines({ pages, comparison, fromMs, nowMs }))
      return last
    },
    async next(comparison) {
      const lines = running.get(comparison)
      if (lines === undefined) return null
      const { value, done } = await lines.next()
      return done === true ? null : value
    },
    async end(comparison) {
      await running.get(comparison)?.return(undefined)
      running.delete(comparison)
    },
    close: decisions.close,
  }
}

/**
 * Requests that are scored meanwhile wait for nothing here. In Linux a thread has a priority of its
 * own; elsewhere it would be the whole worker's.
 */
function letOthersGoFirst(): void {
  if (platform() !== "linux") return
  const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1))
  setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL)
}
