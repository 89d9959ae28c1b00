import type { ReviewOutcome } from "@assay/core/contract"
import type { Review, ReviewFilter } from "@assay/stores/records-reviews"
import { writerPort } from "../base/writer-port.ts"

/** Whose reviews, and who changes them. */
export interface ByAnalyst {
  readonly tenantId: number
  /** For the audit trail, and for whoever looks at the review later. */
  readonly actor: string
  /** null for a command. */
  readonly requestId: string | null
}

/** What is done to a review. */
export type ReviewAct =
  | { readonly do: "assign"; readonly assignee: string | null }
  | { readonly do: "decide"; readonly outcome: ReviewOutcome; readonly note: string | null }
  | { readonly do: "undo" }

export type ReviewAnswer =
  /** As it is now; it may have been like that before. */
  | { readonly state: "done"; readonly review: Review }
  | { readonly state: "unknown" }
  /** Somebody decided it first, or it was decided otherwise. */
  | { readonly state: "decided" }

/** Reviews that one call of `changeMany` changes at most, in one transaction. */
export const REVIEWS_AT_ONCE = 100

/**
 * Does what analysts do. An outcome acts on the next score of every worker, and so does undoing it.
 */
export interface Reviews {
  change(by: ByAnalyst, id: string, act: ReviewAct): Promise<ReviewAnswer>
  /**
   * Changes the oldest `REVIEWS_AT_ONCE` that pass the filter, and returns how many that were.
   * Repeating it goes on with the rest, where the filter leaves out what is changed.
   */
  changeMany(by: ByAnalyst, filter: ReviewFilter, act: ReviewAct): Promise<number>
}

export const reviewsPort = writerPort<Reviews>(
  "reviews",
  { change: true, changeMany: true },
  // A transaction, and then the index for each of a hundred identities.
  { answerMs: 60_000 },
)
