import { readlinkSync } from "node:fs"
import { constants, platform, setPriority } from "node:os"
import { setTimeout as delay } from "node:timers/promises"
import { parentPort, workerData } from "node:worker_threads"
import type { ComparisonLine } from "@assay/core/contract"
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
  const running = new Map<number, ReturnType<typeof piecesOf>>()
  let last = 0
  return {
    async begin({ tenantId, fromMs, nowMs, with: other }) {
      const pages = decisionPages(decisions, { tenantId, from: fromMs }, PAGE)
      const comparison =
        "proposal" in other
          ? proposalComparison.bind(null, { proposal: scoringSettings(other.proposal), models })
          : shadowComparison.bind(null, other.shadowVersion)
      running.set(++last, piecesOf(comparisonLines({ pages, comparison, fromMs, nowMs })))
      return last
    },
    async next(comparison) {
      const pieces = running.get(comparison)
      if (pieces === undefined) return null
      const { value, done } = await pieces.next()
      return done === true ? null : value
    },
    async end(comparison) {
      await running.get(comparison)?.return(undefined)
      running.delete(comparison)
    },
    close: decisions.close,
  }
}

const PIECE_LENGTH = 16 * 1024

/** Decisions read at a time: where cores are few, requests wait for as long as a page takes. */
const PAGE = 100
/** How long it rests after a page, in parts of what that took: it takes a third of a core. */
const REST_SHARE = 2
/** Of a page that its reader took long to take. */
const REST_MAX_MS = 50

/**
 * As text, because the worker would else spend its time on taking lines apart and writing them, and
 * in pieces that are soon written.
 */
async function* piecesOf(
  pages: AsyncGenerator<readonly ComparisonLine[], undefined>,
): AsyncGenerator<string, undefined> {
  let beganAt = performance.now()
  for await (const lines of pages) {
    let piece = ""
    for (const line of lines) {
      piece += `${JSON.stringify(line)}\n`
      if (piece.length < PIECE_LENGTH) continue
      yield piece
      piece = ""
    }
    yield piece
    await delay(Math.min(REST_MAX_MS, REST_SHARE * (performance.now() - beganAt)))
    beganAt = performance.now()
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
