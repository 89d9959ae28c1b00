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
  ReviewViewList,
  ReviewViewRequest,
} from "@assay/core/contract"
import { ask } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import { type CallOptions, query } from "./request.ts"
import { answerOf, type JsonObject } from "./response.ts"

/** Decisions that wait for an analyst. All reject whatever `failover` says, and may be sent again. */
export interface ReviewCalls {
  /** A page of reviews, the newest first. Needs the scope `review:read`, like all that only read. */
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
  views(options?: CallOptions): Promise<ReviewViewList>
  saveView(view: ReviewViewRequest, options?: CallOptions): Promise<ReviewView>
  deleteView(id: string, options?: CallOptions): Promise<void>
  /** What analysts and feedback confirmed of the decisions of the last days, 90 unless given. */
  outcomes(days?: number, options?: CallOptions): Promise<OutcomeReport>
}

const PATH = "/api/v1/review"
/** Changes are on the disks of the service when they are answered; a report reads for seconds. */
const TIMEOUT_MS = 30_000
const ID = /^(dec_[0-9a-z]{26}|view_[0-9a-f]{16})$/

export function reviewCalls(settings: Settings<Failover>): ReviewCalls {
  const send = async <T>(
    method: "GET" | "POST" | "DELETE",
    path: string,
    member: string,
    options: CallOptions = {},
    body?: object,
  ): Promise<T> => {
    const question = {
      method,
      path: PATH + path,
      timeoutMs: Math.max(settings.timeoutMs, TIMEOUT_MS),
      // Repeating any of these changes nothing more.
      repeatable: true,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    } as const
    const status = method === "DELETE" ? 204 : 200
    const fits = (answer: JsonObject | null): boolean =>
      method === "DELETE" || answer?.[member] !== undefined
    return (await ask(settings, question, options, (response) =>
      answerOf(response, status, fits),
    )) as T
  }
  return {
    list: (filter = {}, options) => send("GET", query(filter), "reviews", options),
    get: (id, options) => send("GET", `/${checked(id)}`, "state", options),
    assign: (id, body, options) => send("POST", `/${checked(id)}/assign`, "state", options, body),
    decide: (id, body, options) => send("POST", `/${checked(id)}/decide`, "state", options, body),
    undo: (id, options) => send("POST", `/${checked(id)}/undo`, "state", options),
    change: (body, options) => send("POST", "/bulk", "changed", options, body),
    views: (options) => send("GET", "/views", "views", options),
    saveView: (body, options) => send("POST", "/views", "id", options, body),
    deleteView: async (id, options) =>
      void (await send("DELETE", `/views/${checked(id)}`, "", options)),
    outcomes: (days, options) => send("GET", `/outcomes${query({ days })}`, "groups", options),
  }
}

/** Keeps anything that is no id, such as an identity passed by mistake, out of a path that proxies log. */
function checked(id: string): string {
  if (!ID.test(id)) throw new TypeError("id takes the id of a review or of a view")
  return id
}
