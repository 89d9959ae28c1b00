import type {
  OutcomeReport,
  Review,
  ReviewAssignment,
  ReviewBulkRequest,
  ReviewBulkResult,
  ReviewList,
  ReviewListQuery,
  ReviewVerdict,
  ReviewView,
  ReviewViewRequest,
} from "@assay/core/contract"
import { type CallOptions, query } from "./request.ts"
import { idIn, type Send } from "./sent.ts"
import { type ViewCalls, viewCalls } from "./views.ts"

/**
 * Decisions that wait for an analyst. All reject whatever `failover` says, and may be sent again.
 */
export interface ReviewCalls {
  /**
   * A page of reviews, the newest first. Needs the scope `review:read`, like all that only read.
   */
  list(filter?: ReviewListQuery, options?: CallOptions): Promise<ReviewList>
  get(id: string, options?: CallOptions): Promise<Review>
  /** Needs the scope `review:write`, like all that change something. */
  assign(id: string, assignment: ReviewAssignment, options?: CallOptions): Promise<Review>
  /** Decides a review: the outcome is feedback, and in the next score once this resolves. */
  decide(id: string, verdict: ReviewVerdict, options?: CallOptions): Promise<Review>
  /** Lets a review wait again and takes its feedback back. */
  undo(id: string, options?: CallOptions): Promise<Review>
  /** Changes at most 1,000 reviews that pass a filter; send it again while `more` is true. */
  change(request: ReviewBulkRequest, options?: CallOptions): Promise<ReviewBulkResult>
  /** Saved filters of the queue. */
  readonly views: ViewCalls<ReviewViewRequest, ReviewView>
  /** What analysts and feedback confirmed of the decisions of the last days, 90 unless given. */
  outcomes(days?: number, options?: CallOptions): Promise<OutcomeReport>
}

/** Repeating any change of a review changes nothing more. */
const repeatable = true

export function reviewCalls(send: Send): ReviewCalls {
  const change = <T>(path: string, member: string, body?: object, options?: CallOptions) =>
    send<T>("POST", `/review${path}`, member, { ...(body && { body }), options, repeatable })
  return {
    list: (filter = {}, options) => send("GET", `/review${query(filter)}`, "reviews", { options }),
    get: (id, options) => send("GET", `/review/${idIn(id)}`, "state", { options }),
    assign: (id, body, options) => change(`/${idIn(id)}/assign`, "state", body, options),
    decide: (id, body, options) => change(`/${idIn(id)}/decide`, "state", body, options),
    undo: (id, options) => change(`/${idIn(id)}/undo`, "state", undefined, options),
    change: (body, options) => change("/bulk", "changed", body, options),
    views: viewCalls(send, "/review/views"),
    outcomes: (days, options) =>
      send("GET", `/review/outcomes${query({ days })}`, "groups", { options }),
  }
}
