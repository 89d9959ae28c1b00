import type { ChangedDecisionLine, ComparisonLine, ComparisonSummary } from "@assay/core/contract"
import type { Decision } from "@assay/stores/decisions"
import {
  type ChangedDecision,
  type Compare,
  type ComparisonCounts,
  noCounts,
} from "./comparison.ts"

const PROGRESS_MS = 1_000

export interface ComparedPages {
  readonly pages: AsyncIterable<readonly Decision[]>
  readonly comparison: (counts: ComparisonCounts) => Compare
  /** Decisions since this moment. */
  readonly fromMs: number
  readonly nowMs: number
}

/** The lines of a comparison, those of a page of decisions at a time. */
export async function* comparisonLines(
  of: ComparedPages,
): AsyncGenerator<ComparisonLine[], undefined> {
  const { pages, comparison, fromMs, nowMs } = of
  const counts = noCounts()
  const compare = comparison(counts)
  let decisions = 0
  let reachedMs = nowMs
  let toldAt = performance.now()
  for await (const page of pages) {
    const lines: ComparisonLine[] = []
    for (const decision of page) {
      const changed = compare(decision)
      if (changed !== null) lines.push(changedLine(changed))
    }
    decisions += page.length
    reachedMs = page.at(-1)?.at ?? reachedMs
    if (performance.now() - toldAt >= PROGRESS_MS) {
      toldAt = performance.now()
      lines.push({ type: "progress", decisions, reached: new Date(reachedMs).toISOString() })
    }
    // Also where there are none: who waits may have hung up.
    yield lines
  }
  yield [summaryLine(counts, decisions, fromMs)]
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
