import assert from "node:assert/strict"
import { test } from "node:test"
import { newDecisionId } from "@assay/stores/decision-id"
import type { Review } from "@assay/stores/records-reviews"
import { completeReviews, type ReviewReads } from "./complete-reviews.ts"

const id = newDecisionId(Date.UTC(2026, 10, 19))
const of = { id, tenantId: 1 }
const review = { id } as Review

/** Records that get the review by what happens; tells what did. */
function reviewed(by: "fold" | "settled" | null) {
  const happened: string[] = []
  const records: Pick<ReviewReads, "review"> = {
    review: async () => (by !== null && happened.includes(by) ? review : null),
  }
  const settled = async (madeAt: number): Promise<void> => {
    assert.equal(madeAt, Date.UTC(2026, 10, 19))
    happened.push("settled")
  }
  const fold = async (): Promise<void> => void happened.push("fold")
  return { ...completeReviews(records as ReviewReads, fold, settled), happened }
}

test("a review of a decision that another node made is waited for, and none of an own one", async () => {
  const own = reviewed("fold")
  assert.equal(await own.review(of), review)
  assert.deepEqual(own.happened, ["fold"])
  const other = reviewed("settled")
  assert.equal(await other.review(of), review)
  assert.equal(await other.review(of), review)
  assert.deepEqual(other.happened, ["fold", "settled"])
  const nobody = reviewed(null)
  assert.equal(await nobody.review(of), null)
})
