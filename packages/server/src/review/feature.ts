import {
  REVIEW_BULK_MAX,
  type ReviewBulkRequest,
  type ReviewFilter,
  type ReviewVerdict,
} from "@assay/core/contract"
import type { PastDecisions } from "@assay/stores/decisions"
import { isDecisionId } from "@assay/stores/decision-id"
import type { Review } from "@assay/stores/records-reviews"
import { actorOf, type Caller, tenantOf } from "../accounts/callers.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { refusal, refuseIdentity } from "../http/refusal.ts"
import { feedbackPort, type FeedbackWriter } from "../intake/feedback-writer.ts"
import type { Models } from "../score/models.ts"
import type { ReviewReads } from "./complete-reviews.ts"
import { outcomeReport } from "./outcomes.ts"
import { readAssignee, readFilter, reviewBody } from "./read-filter.ts"
import { openReviewWriter } from "./review-writer.ts"
import {
  type ByAnalyst,
  type ReviewAct,
  type ReviewAnswer,
  type Reviews,
  REVIEWS_AT_ONCE,
  reviewsPort,
} from "./reviews.ts"
import * as schemas from "./schemas.ts"

const PAGE = 20
const OUTCOME_DAYS = 90

export interface ReviewServices {
  readonly reviewRecords: ReviewReads
  readonly pastDecisions: PastDecisions
  readonly models: Models
  readonly now: () => number
}

export const review: Feature<ReviewServices, Reviews> = {
  routes: reviewRoutes,
  port: reviewsPort,
  async writer({ records, fold, now, reviewDays, writerOf }) {
    // Workers reach a part of it, and this process all of it.
    const feedback = writerOf(feedbackPort) as FeedbackWriter
    return openReviewWriter({ records, feedback, fold, now, days: reviewDays })
  },
}

function reviewRoutes(app: App, services: ReviewServices, reviews: Reviews): void {
  const { reviewRecords: records, pastDecisions: decisions, models, now } = services

  app.get("/api/v1/review", { schema: schemas.listSchema }, async (request) => {
    const { tenantId, actor } = analyst(request)
    const { before, limit, ...filter } = request.query
    const found = await records.reviews({
      tenantId,
      filter: readFilter(filter, actor, now()),
      limit: Number(limit ?? PAGE),
      ...(before === undefined ? {} : { before }),
    })
    return { reviews: found.map(reviewBody) }
  })

  app.get("/api/v1/review/outcomes", { schema: schemas.outcomesSchema }, async (request) => {
    const { tenantId } = analyst(request)
    const days = Number(request.query.days ?? OUTCOME_DAYS)
    return await outcomeReport({ records, decisions, models }, { tenantId, days, nowMs: now() })
  })

  app.post("/api/v1/review/bulk", { schema: schemas.bulkSchema }, async (request) => {
    const by = analyst(request)
    const act = bulkAct(request.body, by)
    const { filter, up_to: upTo } = request.body
    const meant = {
      ...readFilter(statedFor(act, filter), by.actor, now()),
      ...(upTo === undefined ? {} : { upTo }),
    }
    for (let changed = 0; changed < REVIEW_BULK_MAX; changed += REVIEWS_AT_ONCE) {
      const count = await reviews.changeMany(by, meant, act)
      if (count < REVIEWS_AT_ONCE) return { changed: changed + count, more: false }
    }
    return { changed: REVIEW_BULK_MAX, more: true }
  })

  app.get("/api/v1/review/:id", { schema: schemas.oneSchema }, async (request) => {
    const { params } = request
    const { tenantId } = analyst(request)
    const found = isDecisionId(params.id) ? await records.review({ id: params.id, tenantId }) : null
    if (found === null) throw unknown()
    return reviewBody(found)
  })

  const change = async (
    request: Parameters<typeof analyst>[0] & { readonly params: { readonly id: string } },
    act: ReviewAct,
  ) => {
    const { id } = request.params
    const answer: ReviewAnswer = isDecisionId(id)
      ? await reviews.change(analyst(request), id, act)
      : { state: "unknown" }
    return reviewBody(changedIn(answer))
  }

  app.post("/api/v1/review/:id/assign", { schema: schemas.assignSchema }, async (request) => {
    const assignee = readAssignee(request.body.assignee, actorOf(request.caller))
    return await change(request, { do: "assign", assignee })
  })

  app.post("/api/v1/review/:id/decide", { schema: schemas.decideSchema }, async (request) =>
    change(request, verdict(request.body, "note")),
  )

  app.post("/api/v1/review/:id/undo", { schema: schemas.undoSchema }, async (request) =>
    change(request, { do: "undo" }),
  )
}

function analyst({ caller, id }: { readonly caller: Caller; readonly id: string }): ByAnalyst {
  const { tenantId } = tenantOf(caller, "A review")
  return { tenantId, actor: actorOf(caller), requestId: id }
}

function verdict({ outcome, note = null }: ReviewVerdict, member: string): ReviewAct {
  if (note !== null) refuseIdentity(member, note)
  return { do: "decide", outcome, note }
}

function bulkAct({ decide, assign, undo }: ReviewBulkRequest, { actor }: ByAnalyst): ReviewAct {
  const acts: ReviewAct[] = [
    ...(decide === undefined ? [] : [verdict(decide, "decide/note")]),
    ...(assign === undefined
      ? []
      : [{ do: "assign", assignee: readAssignee(assign.assignee, actor) } as const]),
    ...(undo === undefined ? [] : [{ do: "undo" } as const]),
  ]
  const [act, ...others] = acts
  if (act === undefined || others.length > 0)
    throw refusal({ pointer: "#", detail: "must have exactly one of decide, assign and undo" })
  return act
}

/** Only what waits can be decided, and only what is decided can be undone. */
function statedFor(act: ReviewAct, filter: ReviewFilter): ReviewFilter {
  if (act.do === "assign") return filter
  const state = act.do === "decide" ? "waiting" : "decided"
  if (filter.state !== undefined && filter.state !== state && filter.state !== "all")
    throw refusal({ pointer: "#/filter/state", detail: `must be ${state} or left out` })
  return { ...filter, state }
}

function changedIn(answer: ReviewAnswer): Review {
  if (answer.state === "done") return answer.review
  if (answer.state === "unknown") throw unknown()
  throw new Problem("review-decided", "Nothing changed.")
}

// Another tenant's review looks like one that never existed.
function unknown(): Problem {
  return new Problem("review-not-found", "No review of yours has this id.")
}
