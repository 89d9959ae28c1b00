import { timeOfDecisionId } from "@assay/stores/decision-id"
import type { FeedbackRecords } from "@assay/stores/records-feedback"
import type { PolicyRecords } from "@assay/stores/records-policies"
import type { ReviewRecords } from "@assay/stores/records-reviews"

/** What is read for analysts. */
export type ReviewReads = Pick<ReviewRecords, "reviews" | "review"> &
  Pick<FeedbackRecords, "feedbackSince"> &
  Pick<PolicyRecords, "policies">

/**
 * Reviews as an analyst knows them, who may look for one a moment after its decision: what is not
 * in the records yet is brought there first, and one that another node may have is waited for.
 */
export function completeReviews(
  records: ReviewReads,
  fold: () => Promise<void>,
  othersSettled: (madeAt: number) => Promise<void>,
): ReviewReads {
  return {
    async reviews(query) {
      // Later pages hold reviews of older decisions.
      if (query.before === undefined) await fold()
      return await records.reviews(query)
    },
    async review(of) {
      const found = await records.review(of)
      if (found !== null) return found
      await fold()
      const own = await records.review(of)
      if (own !== null) return own
      await othersSettled(timeOfDecisionId(of.id))
      return await records.review(of)
    },
    feedbackSince: (of) => records.feedbackSince(of),
    policies: (of) => records.policies(of),
  }
}
