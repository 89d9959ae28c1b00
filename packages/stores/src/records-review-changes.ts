import type { FeedbackOutcome, ReviewOutcome } from "@assay/core/contract"
import type { ExpressionBuilder } from "kysely"

import { type Change, note } from "./records-audit.ts"
import type { Store, Write } from "./records-engine.ts"
import { feedbackColumns } from "./records-feedback.ts"
import { passes, type Review, type ReviewFilter, reviewOf } from "./records-review-rows.ts"
import type { Schema } from "./records-schema.ts"

/** Which reviews of a tenant a change is about: one, or the oldest that pass a filter. */
export interface ReviewChange extends Change {
  readonly tenantId: number
  readonly which:
    | { readonly id: string }
    | { readonly filter: ReviewFilter; readonly limit: number }
}

export interface ReviewAssignment extends ReviewChange {
  /** null: nobody's. */
  readonly assignee: string | null
}

export interface ReviewDecision extends ReviewChange {
  readonly outcome: ReviewOutcome
  readonly note: string | null
  /** Names and moments for the feedback of as many reviews as there may be. */
  readonly receipts: readonly FeedbackPlace[]
}

/** What feedback is called, and its place among the tenant's other feedback. */
export interface FeedbackPlace {
  readonly id: string
  readonly receivedAt: number
}

/** Which feedback each outcome is. */
export const FEEDBACK_OF_REVIEW: Readonly<Record<ReviewOutcome, FeedbackOutcome | null>> = {
  confirmed_fraud: "fraud_confirmed",
  genuine: "not_fraud",
  cannot_tell: null,
}

/**
 * Each is one transaction with its entry in the audit trail, and returns the reviews it changed, as
 * they are now. One that is already as it should be is not among them, and neither is one of
 * another tenant.
 */
export interface ReviewChanges {
  assignReviews(assignment: ReviewAssignment): Promise<Review[]>
  /** Only those that wait. The feedback of their outcome is stored with them, due at once. */
  decideReviews(decision: ReviewDecision): Promise<Review[]>
  /** Lets decided ones wait again and undoes their feedback, which is due again. */
  undoReviews(undoing: ReviewChange): Promise<Review[]>
}

/** Changes over either engine. */
export function sqlReviewChanges({ write }: Store): ReviewChanges {
  return {
    assignReviews: (assignment) =>
      write(async (db) => {
        const { assignee } = assignment
        const changed: Review[] = []
        for (const review of await meant(db, assignment, (row) => unlike(row, assignee))) {
          await db
            .updateTable("reviews")
            .set({ assignee })
            .where("id", "=", review.id)
            .executeTakeFirstOrThrow()
          changed.push({ ...review, assignee })
        }
        await noteChange(db, assignment, "review.assign", changed, { assignee })
        return changed
      }),

    decideReviews: (decision) =>
      write(async (db) => {
        const { outcome, note: text, receipts, at, actor } = decision
        const changed: Review[] = []
        for (const review of await meant(db, decision)) {
          const receipt = receipts[changed.length]
          if (review.outcome !== null || receipt === undefined) continue
          const decided = await decide(db, review, decision, receipt)
          if (decided === null) continue
          changed.push({
            ...review,
            ...decided,
            outcome,
            note: text,
            decidedAt: at,
            decidedBy: actor,
          })
        }
        await noteChange(db, decision, "review.decide", changed, { outcome })
        return changed
      }),

    undoReviews: (undoing) =>
      write(async (db) => {
        const { at } = undoing
        const changed: Review[] = []
        for (const review of await meant(db, undoing)) {
          if (review.outcome === null) continue
          const undone = {
            outcome: null,
            note: null,
            decided_at: null,
            decided_by: null,
            feedback_id: null,
          }
          const { numUpdatedRows } = await db
            .updateTable("reviews")
            .set(undone)
            .where("id", "=", review.id)
            .where("decided_at", "=", review.decidedAt)
            .executeTakeFirstOrThrow()
          if (numUpdatedRows === 0n) continue
          if (review.feedbackId !== null)
            await db
              .updateTable("feedback")
              .set({ undone_at: at, due_at: at })
              .where("id", "=", review.feedbackId)
              .where("tenant_id", "=", undoing.tenantId)
              .where("undone_at", "is", null)
              .execute()
          changed.push({
            ...review,
            outcome: null,
            note: null,
            decidedAt: null,
            decidedBy: null,
            feedbackId: null,
          })
        }
        await noteChange(db, undoing, "review.undo", changed, {})
        return changed
      }),
  }
}

type Row = ExpressionBuilder<Schema, "reviews">
type Condition = ReturnType<Row["and"]>

/** Whether a review is not this assignee's. */
function unlike(row: Row, assignee: string | null): Condition {
  if (assignee === null) return row.and([row("assignee", "is not", null)])
  return row.or([row("assignee", "is", null), row("assignee", "!=", assignee)])
}

/** The reviews a change is about, the oldest first. */
async function meant(
  db: Write,
  { tenantId, which }: ReviewChange,
  condition: (row: Row) => Condition = (row) => row.and([]),
): Promise<Review[]> {
  const all = db
    .selectFrom("reviews")
    .selectAll()
    .where("tenant_id", "=", tenantId)
    .where(condition)
  const rows =
    "id" in which
      ? await all.where("id", "=", which.id).execute()
      : await all
          .where((row) => passes(row, which.filter))
          .orderBy("id")
          .limit(which.limit)
          .execute()
  return rows.map(reviewOf)
}

/** null where somebody else was first. */
async function decide(
  db: Write,
  review: Review,
  { outcome, note: text, at, actor }: ReviewDecision,
  receipt: FeedbackPlace,
): Promise<{ feedbackId: string | null } | null> {
  const reported = FEEDBACK_OF_REVIEW[outcome]
  const feedbackId = reported === null ? null : receipt.id
  const { numUpdatedRows } = await db
    .updateTable("reviews")
    .set({ outcome, note: text, decided_at: at, decided_by: actor, feedback_id: feedbackId })
    .where("id", "=", review.id)
    // PostgreSQL may have let somebody else decide it since it was read.
    .where("outcome", "is", null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return null
  if (reported !== null)
    await db
      .insertInto("feedback")
      .values({
        ...feedbackColumns({
          ...receipt,
          tenantId: review.tenantId,
          keyId: review.keyId,
          identityKey: review.identityKey,
          identityType: review.identityType,
          aliasTag: 0,
          outcome: reported,
          // It was found out about the event that was decided on.
          occurredAt: review.at,
          loss: null,
          reference: null,
          expiresAt: null,
        }),
        claim: null,
      })
      .execute()
  return { feedbackId }
}

/** Neither the analyst's note nor the caller's name of the case is anybody else's to read. */
async function noteChange(
  db: Write,
  change: ReviewChange,
  action: string,
  changed: readonly Review[],
  detail: Record<string, unknown>,
): Promise<void> {
  const [first] = changed
  if (first === undefined) return
  const tenant = { tenant: change.tenantId }
  if ("id" in change.which)
    await note(db, change, action, `decision:${first.id}`, { ...tenant, ...detail })
  else
    await note(db, change, action, `tenant:${change.tenantId}`, {
      ...detail,
      count: changed.length,
      decisions: changed.map(({ id }) => id),
    })
}
