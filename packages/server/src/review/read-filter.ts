import type { Review as ReviewBody, ReviewFilter as GivenFilter } from "@assay/core/contract"
import { bandOf, scoresOf } from "@assay/core/score"
import { HOUR_MS } from "@assay/runtime/time"
import type { Review, ReviewFilter } from "@assay/stores/records-reviews"

/** A filter as the records take it. `actor` is whom `me` means. */
export function readFilter(given: GivenFilter, actor: string, nowMs: number): ReviewFilter {
  const { state = "waiting", action, subject, stage, band, reason, assignee, outcome } = given
  const { older_than_hours: older, newer_than_hours: newer } = given
  return {
    ...(state === "all" ? {} : { state }),
    ...(action === undefined ? {} : { action }),
    ...(subject === undefined ? {} : { identityType: subject }),
    ...(stage === undefined ? {} : { stage }),
    ...(band === undefined ? {} : { scores: scoresOf(band) }),
    ...(reason === undefined ? {} : { reason }),
    ...(assignee === undefined ? {} : { assignee: readAssignee(assignee, actor) }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(older === undefined ? {} : { until: nowMs - Number(older) * HOUR_MS + 1 }),
    ...(newer === undefined ? {} : { from: nowMs - Number(newer) * HOUR_MS }),
  }
}

/** Whom an assignee means; null for nobody. */
export function readAssignee(given: string | null, actor: string): string | null {
  if (given === "me") return actor
  return given === "nobody" ? null : given
}

/** A review as the API shows it: nothing of it names an identity. */
export function reviewBody(review: Review): ReviewBody {
  const { stage, decidedAt } = review
  return {
    id: review.id,
    decided_at: new Date(review.at).toISOString(),
    subject: review.identityType,
    risk_score: review.score,
    band: bandOf(review.score),
    ...(stage === null ? {} : { threat_stage: stage as NonNullable<ReviewBody["threat_stage"]> }),
    recommended_action: review.action as ReviewBody["recommended_action"],
    reasons: review.reasons,
    ref: review.ref,
    state: review.outcome === null ? "waiting" : "decided",
    assignee: review.assignee,
    outcome: review.outcome,
    note: review.note,
    reviewed_at: decidedAt === null ? null : new Date(decidedAt).toISOString(),
    reviewed_by: review.decidedBy,
    feedback_id: review.feedbackId,
  }
}
