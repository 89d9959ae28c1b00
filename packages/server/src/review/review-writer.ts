import { DAY_MS } from "@assay/runtime/time"
import type { ReviewChange } from "@assay/stores/records-review-changes"
import type { Review, ReviewRecords } from "@assay/stores/records-reviews"
import type { FeedbackChange, FeedbackWriter } from "../intake/feedback-writer.ts"
import { type ByAnalyst, type ReviewAct, type Reviews, REVIEWS_AT_ONCE } from "./reviews.ts"

interface WriterOptions {
  readonly records: ReviewRecords
  readonly feedback: Pick<FeedbackWriter, "change">
  /** Brings every decision the workers wrote so far into the store, and the queue. */
  readonly fold: () => Promise<void>
  readonly now: () => number
  readonly days: number
}

export interface ReviewWriter extends Reviews {
  /** Nothing is left for later; that there is something to forget takes this. */
  settleDue(): Promise<void>
  /** Deletes what has waited, or been kept, for too long. */
  forget(): Promise<void>
}

/**
 * The one writer of reviews, in the primary. An outcome is a row of feedback in the transaction
 * that decides the review, and the index follows as for any feedback, in the tenant's turn.
 */
export function openReviewWriter(options: WriterOptions): ReviewWriter {
  const { records, feedback, fold, now, days } = options

  async function changed(
    by: ByAnalyst,
    which: ReviewChange["which"],
    act: ReviewAct,
  ): Promise<Review[]> {
    const change = { ...by, at: now(), which }
    if (act.do === "assign")
      return await records.assignReviews({ ...change, assignee: act.assignee })
    const places = "id" in which ? 1 : which.limit
    return await feedback.change(by.tenantId, places, async (receipts) => {
      const result =
        act.do === "decide"
          ? await records.decideReviews({
              ...change,
              outcome: act.outcome,
              note: act.note,
              receipts,
            })
          : // Feedback is undone at a moment of its own, like any other.
            await records.undoReviews({ ...change, at: receipts[0]?.receivedAt ?? change.at })
      return { result, identities: result } satisfies FeedbackChange<Review[]>
    })
  }

  return {
    async change(by, id, act) {
      const of = { id, tenantId: by.tenantId }
      if ((await records.review(of)) === null) await fold()
      const [review] = await changed(by, { id }, act)
      if (review !== undefined) return { state: "done", review }
      const current = await records.review(of)
      if (current === null) return { state: "unknown" }
      const isOther =
        act.do === "decide" &&
        (current.outcome !== act.outcome ||
          current.note !== act.note ||
          current.decidedBy !== by.actor)
      return isOther ? { state: "decided" } : { state: "done", review: current }
    },

    async changeMany(by, filter, act) {
      // Who changes all of them means those of a moment ago too.
      await fold()
      const which = { filter, limit: REVIEWS_AT_ONCE }
      return (await changed(by, which, act)).length
    },

    settleDue: async () => undefined,

    async forget() {
      await records.forgetReviews(now() - days * DAY_MS)
    },
  }
}
