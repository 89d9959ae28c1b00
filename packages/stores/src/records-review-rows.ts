import type { IdentityType } from "@assay/core/identity"
import type { ReviewOutcome } from "@assay/core/contract"
import { type ExpressionBuilder, sql, type Selectable, type SqlBool } from "kysely"

import { firstDecisionIdAt, timeOfDecisionId } from "./decision-id.ts"
import type { Schema } from "./records-schema.ts"

/** A decision that goes to an analyst. */
export interface NewReview {
  /** The decision's. */
  readonly id: string
  readonly tenantId: number
  /** The key that asked. */
  readonly keyId: string
  readonly identityKey: Uint8Array
  readonly identityType: IdentityType
  readonly action: string
  readonly stage: string | null
  readonly score: number
  readonly modelVersion: string
  /** Codes of what drove the score, the strongest first. */
  readonly reasons: readonly string[]
  /** The caller's name of the case. */
  readonly ref: string | null
}

/** The same with what analysts made of it. Times are epoch milliseconds. */
export interface Review extends NewReview {
  /** When the decision was made. */
  readonly at: number
  readonly assignee: string | null
  /** null while it waits. */
  readonly outcome: ReviewOutcome | null
  readonly note: string | null
  readonly decidedAt: number | null
  readonly decidedBy: string | null
  /** The feedback that the outcome is; null where it waits or nobody could tell. */
  readonly feedbackId: string | null
}

/** Which reviews are meant; a member that is left out leaves none out. */
export interface ReviewFilter {
  readonly state?: "waiting" | "decided"
  readonly action?: string
  readonly identityType?: IdentityType
  readonly stage?: string
  /** The lowest and the highest score; a band is a pair of them. */
  readonly scores?: readonly [lowest: number, highest: number]
  /** One of the reasons. */
  readonly reason?: string
  /** null: those of nobody. */
  readonly assignee?: string | null
  readonly outcome?: ReviewOutcome
  /** Epoch milliseconds: not decided before this moment by the service. */
  readonly from?: number
  /** Epoch milliseconds: decided before this moment by the service. */
  readonly until?: number
  /** The newest one that is meant. */
  readonly upTo?: string
}

/** Whether a row passes a filter. */
export function passes(
  row: ExpressionBuilder<Schema, "reviews">,
  filter: ReviewFilter,
): ReturnType<ExpressionBuilder<Schema, "reviews">["and"]> {
  const { state, action, identityType, stage, scores, reason, assignee, outcome } = filter
  const { from, until, upTo } = filter
  return row.and([
    ...(state === undefined ? [] : [row("outcome", state === "waiting" ? "is" : "is not", null)]),
    ...(action === undefined ? [] : [row("action", "=", action)]),
    ...(identityType === undefined ? [] : [row("identity_type", "=", identityType)]),
    ...(stage === undefined ? [] : [row("stage", "=", stage)]),
    ...(scores === undefined ? [] : [row("score", ">=", scores[0]), row("score", "<=", scores[1])]),
    // A code has underscores, which stand for any character unless they are escaped.
    ...(reason === undefined
      ? []
      : [
          sql<SqlBool>`reasons like ${`% ${reason.replaceAll(/[%_\\]/g, String.raw`\$&`)} %`} escape ${"\\"}`,
        ]),
    ...(assignee === undefined
      ? []
      : [assignee === null ? row("assignee", "is", null) : row("assignee", "=", assignee)]),
    ...(outcome === undefined ? [] : [row("outcome", "=", outcome)]),
    ...(from === undefined ? [] : [row("id", ">=", firstDecisionIdAt(Math.max(0, from)))]),
    ...(until === undefined ? [] : [row("id", "<", firstDecisionIdAt(Math.max(0, until)))]),
    ...(upTo === undefined ? [] : [row("id", "<=", upTo)]),
  ])
}

/** The row of a review that waits. */
export function reviewColumns(review: NewReview): Selectable<Schema["reviews"]> {
  return {
    id: review.id,
    tenant_id: review.tenantId,
    key_id: review.keyId,
    identity_key: review.identityKey,
    identity_type: review.identityType,
    action: review.action,
    stage: review.stage,
    score: review.score,
    model_version: review.modelVersion,
    reasons: ["", ...review.reasons, ""].join(" "),
    ref: review.ref,
    assignee: null,
    outcome: null,
    note: null,
    decided_at: null,
    decided_by: null,
    feedback_id: null,
  }
}

export function reviewOf(row: Selectable<Schema["reviews"]>): Review {
  return {
    id: row.id,
    at: timeOfDecisionId(row.id),
    tenantId: row.tenant_id,
    keyId: row.key_id,
    identityKey: row.identity_key,
    identityType: row.identity_type as IdentityType,
    action: row.action,
    stage: row.stage,
    score: row.score,
    modelVersion: row.model_version,
    reasons: row.reasons.split(" ").filter((code) => code !== ""),
    ref: row.ref,
    assignee: row.assignee,
    outcome: row.outcome as ReviewOutcome | null,
    note: row.note,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    feedbackId: row.feedback_id,
  }
}
