import { setImmediate as nextTurn } from "node:timers/promises"
import type { IdentityType } from "@assay/core/identity"
import type { Shadow } from "@assay/stores/records"
import { type Decision, DECISION_FORMAT, ERASED_FORMAT } from "@assay/stores/decisions"

/** A decision whose action would have been another. */
export interface ChangedDecision {
  readonly id: string
  readonly kind: IdentityType
  readonly before: Answer
  readonly after: Answer
}

export interface Answer {
  readonly score: number
  readonly action: string
}

/** Counts a decision; returns it where its action would have been another, else null. */
export type Compare = (decision: Decision) => ChangedDecision | null

/** What a comparison found; nobody knows which of the answers are right. */
export interface ComparisonCounts {
  /** Decisions whose actions were compared. */
  compared: number
  /** Compared ones whose action would have been another. */
  changed: number
  /** Those that could not be compared, by what stood in the way. */
  leftOut: {
    /** The person had the input erased. */
    erased: number
    /** Made by a model whose document is no longer here. */
    modelNotLoaded: number
    /** Computed again as it was made, the answer is not the one that is recorded. */
    notRepeated: number
    /** Written by a newer program. */
    unknownFormat: number
    /** Recorded without this version of the shadow. */
    notShadowed: number
  }
  moves: Move[]
  /** Inputs recorded before members that the proposed model reads: it takes these as unknown. */
  lacking: { inputs: number; members: string[] }
}

/** How many decisions of a kind go from one action to another, or stay at it. */
export interface Move {
  readonly kind: IdentityType
  readonly before: string
  readonly after: string
  count: number
}

export function noCounts(): ComparisonCounts {
  return {
    compared: 0,
    changed: 0,
    leftOut: { erased: 0, modelNotLoaded: 0, notRepeated: 0, unknownFormat: 0, notShadowed: 0 },
    moves: [],
    lacking: { inputs: 0, members: [] },
  }
}

/** Past decisions that are compared, all of them in one go. */
export interface Comparison {
  /** The decisions in pages, of any order; no more than a page is held at a time. */
  readonly pages: AsyncIterable<readonly Decision[]>
  readonly comparison: (counts: ComparisonCounts) => Compare
  /** Called for each decision whose action would have been another. */
  readonly onChanged: (changed: ChangedDecision) => void
  /** Called after each page; the counts go on changing until the end. */
  readonly onPage?: (counts: ComparisonCounts, page: readonly Decision[]) => void
}

export async function compareAll(of: Comparison): Promise<ComparisonCounts> {
  const counts = noCounts()
  const compare = of.comparison(counts)
  for await (const page of of.pages) {
    for (const decision of page) {
      const changed = compare(decision)
      if (changed !== null) of.onChanged(changed)
    }
    of.onPage?.(counts, page)
    // A page takes tens of milliseconds, and a process that also serves must get its turn.
    await nextTurn()
  }
  return counts
}

/** Whether nothing of a decision can be compared; it is counted then. */
export function isLeftOut({ format }: Decision, { leftOut }: ComparisonCounts): boolean {
  if (format === DECISION_FORMAT) return false
  leftOut[format === ERASED_FORMAT ? "erased" : "unknownFormat"]++
  return true
}

export function compared(
  { id, identityType: kind, score, action }: Decision,
  after: Answer,
  counts: ComparisonCounts,
): ChangedDecision | null {
  counts.compared++
  count(counts.moves, kind, action, after.action)
  if (after.action === action) return null
  counts.changed++
  return { id, kind, before: { score, action }, after }
}

/** What was computed up to the end of a shadow, which is a version too, has the one before it. */
export function computedVersion({ version, settings }: Shadow): number {
  return settings === null ? version - 1 : version
}

/**
 * Compares what was decided with what a version of the tenant's shadow made of the same request.
 */
export function shadowComparison(version: number, counts: ComparisonCounts): Compare {
  return (decision) => {
    if (isLeftOut(decision, counts)) return null
    const { shadow } = decision
    if (shadow?.version !== version) {
      counts.leftOut.notShadowed++
      return null
    }
    return compared(decision, { score: shadow.score, action: shadow.action }, counts)
  }
}

// There are few kinds and actions, so a list is searched faster than a key is made.
function count(moves: Move[], kind: IdentityType, before: string, after: string): void {
  const known = moves.find(
    (move) => move.kind === kind && move.before === before && move.after === after,
  )
  if (known === undefined) moves.push({ kind, before, after, count: 1 })
  else known.count++
}
