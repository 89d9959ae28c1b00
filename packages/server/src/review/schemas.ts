import {
  OutcomeReport,
  OutcomesQuery,
  Review,
  ReviewAssignment,
  ReviewBulkRequest,
  ReviewBulkResult,
  ReviewList,
  ReviewListQuery,
  ReviewParams,
  ReviewVerdict,
} from "@assay/core/contract"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"

const common = { tags: ["Review"], security: [{ apiKey: [] }] }
const ONE = ["not-found", "review-not-found"] as const

export const listSchema = {
  ...common,
  operationId: "listReviews",
  summary: "List decisions that wait for an analyst",
  description:
    "Decisions that recommended `review` or `block`. None of their members names an identity: `ref` is the name that the request gave the case, and `id` names the decision.",
  querystring: ReviewListQuery,
  response: {
    200: named(ReviewList, "Reviews of the key's tenant."),
    ...failures(...FAILURES_OF_READING),
  },
}

export const oneSchema = {
  ...common,
  operationId: "getReview",
  summary: "Look at a review",
  params: ReviewParams,
  response: { 200: named(Review, "As it is now."), ...failures(...ONE, ...FAILURES_OF_READING) },
}

export const assignSchema = {
  ...common,
  operationId: "assignReview",
  summary: "Give a review to somebody, or to nobody",
  params: ReviewParams,
  body: named(ReviewAssignment),
  response: {
    200: named(Review, "As it is now."),
    ...failures(...ONE, ...FAILURES_WITHOUT_LOOKUP),
  },
}

export const decideSchema = {
  ...common,
  operationId: "decideReview",
  summary: "Decide a review",
  description:
    "The outcome is feedback about the identity and acts on the next score. Sending the same again changes nothing.",
  params: ReviewParams,
  body: named(ReviewVerdict),
  response: {
    200: named(Review, "As it is now, and in the next score."),
    ...failures(...ONE, "review-decided", ...FAILURES_WITHOUT_LOOKUP),
  },
}

export const undoSchema = {
  ...common,
  operationId: "undoReview",
  summary: "Let a decided review wait again",
  description: "Takes its feedback back, as if it had never been sent.",
  params: ReviewParams,
  response: {
    200: named(Review, "As it is now, and in the next score."),
    ...failures(...ONE, ...FAILURES_WITHOUT_LOOKUP),
  },
}

export const bulkSchema = {
  ...common,
  operationId: "changeReviews",
  summary: "Change all reviews that pass a filter",
  description:
    "The oldest first, a hundred in each transaction. Sent again after a failure it goes on with the rest.",
  body: named(ReviewBulkRequest),
  response: {
    200: named(ReviewBulkResult, "How many were changed."),
    ...failures(...FAILURES_WITHOUT_LOOKUP),
  },
}

export const outcomesSchema = {
  ...common,
  operationId: "getOutcomes",
  summary: "See what became of decisions",
  description:
    "Counts what analysts and feedback confirmed. It is no sample of all decisions: what nobody looked at is in none of its numbers.",
  querystring: OutcomesQuery,
  response: {
    200: named(OutcomeReport, "What is confirmed."),
    ...failures(...FAILURES_OF_READING),
  },
}
