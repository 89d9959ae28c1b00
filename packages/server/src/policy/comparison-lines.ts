import type { ChangedDecisionLine, ComparisonLine, ComparisonSummary } from "@assay/core/contract"
import type { Decision } from "@assay/stores/decisions"
import { openTimeSlices } from "../http/time-slices.ts"
import {
  type ChangedDecision,
  type Compare,
  type ComparisonCounts,
  noCounts,
} from "./comparison.ts"

/**
 * Shorter than those of other work: requests that are scored beside it wait for one slice and for
 * the reading of a page.
 */
const SLICE_MS = 0.5
/** It computes for a third of the time: some thousands of decisions a second are soon enough. */
const REST_SHARE = 2
const PROGRESS_MS = 1_000

export interface ComparedPages {
  readonly pages: AsyncIterable<readonly Decision[]>
  readonly comparison: (counts: ComparisonCounts) => Compare
  /** Decisions since this moment. */
  readonly fromMs: number
  readonly nowMs: number
  /** Aborted when nobody waits for more. */
  readonly abort: AbortSignal
  /** Called about each second; what it throws ends the work. */
  readonly onProgress: () => Promise<void>
}

/**
 * The lines of a comparison, some at a time. It holds a page of decisions and the lines of a slice,
 * and lets others have their turn after each.
 */
export async function* comparisonLines(of: ComparedPages): AsyncGenerator<ComparisonLine[]> {
  const { pages, comparison, fromMs, nowMs, abort, onProgress } = of
  const slices = openTimeSlices(undefined, SLICE_MS, REST_SHARE)
  const counts = noCounts()
  const compare = comparison(counts)
  let decisions = 0
  let reachedMs = nowMs
  let lines: ComparisonLine[] = []
  let toldAt = performance.now()
  for await (const page of pages) {
    for (const decision of page) {
      const changed = compare(decision)
      if (changed !== null) lines.push(changedLine(changed))
      decisions++
      reachedMs = decision.at
      if (!slices.isOver()) continue
      if (performance.now() - toldAt >= PROGRESS_MS) {
        toldAt = performance.now()
        lines.push({ type: "progress", decisions, reached: new Date(reachedMs).toISOString() })
        await onProgress()
      }
      if (lines.length > 0) yield lines
      lines = []
      await slices.next()
      abort.throwIfAborted()
    }
    // Reading the next page takes its time from the same process.
    await slices.next()
    abort.throwIfAborted()
  }
  lines.push(summaryLine(counts, decisions, fromMs))
  yield lines
}

type Action = ChangedDecisionLine["before"]["recommended_action"]

function changedLine({ id, kind, before, after }: ChangedDecision): ChangedDecisionLine {
  return { type: "changed", id, subject: kind, before: answer(before), after: answer(after) }
}

function answer({ score, action }: ChangedDecision["before"]): ChangedDecisionLine["before"] {
  return { risk_score: score, recommended_action: action as Action }
}

const ORDER = ["allow", "step_up_auth", "review", "block"]

function summaryLine(
  counts: ComparisonCounts,
  decisions: number,
  fromMs: number,
): ComparisonSummary {
  const { compared, changed, leftOut, moves, lacking } = counts
  const place = ({ before, after }: { before: string; after: string }): number =>
    ORDER.indexOf(before) * ORDER.length + ORDER.indexOf(after)
  return {
    type: "summary",
    from: new Date(fromMs).toISOString(),
    decisions,
    compared,
    changed,
    left_out: {
      erased: leftOut.erased,
      model_not_loaded: leftOut.modelNotLoaded,
      not_repeated: leftOut.notRepeated,
      unknown_format: leftOut.unknownFormat,
      not_shadowed: leftOut.notShadowed,
    },
    moves: moves
      .toSorted((a, b) => a.kind.localeCompare(b.kind) || place(a) - place(b))
      .map(({ kind, before, after, count }) => ({
        subject: kind,
        before: before as Action,
        after: after as Action,
        count,
      })),
    lacking,
  }
}
