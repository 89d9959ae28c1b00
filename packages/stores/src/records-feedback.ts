import type { IdentityType } from "@assay/core/identity"
import type { FeedbackOutcome } from "@assay/core/contract"
import type { Selectable } from "kysely"

import type { Engine, Store, Write } from "./records-engine.ts"
import {
  finishClaim,
  takeClaim,
  type ClaimOutcome,
  type IdempotencyClaim,
} from "./records-idempotency.ts"
import type { Schema } from "./records-schema.ts"
import { touchWatched } from "./records-watch.ts"

/** The identity a tenant's feedback is about. */
export interface FeedbackIdentity {
  readonly tenantId: number
  readonly identityKey: Uint8Array
}

/** One outcome a tenant reported. Times are epoch milliseconds. */
export interface NewFeedback extends FeedbackIdentity {
  readonly id: string
  readonly keyId: string
  readonly identityType: IdentityType
  readonly aliasTag: number
  readonly outcome: FeedbackOutcome
  readonly occurredAt: number
  readonly receivedAt: number
  readonly loss: number | null
  /** The tenant's own name for the case. */
  readonly reference: string | null
  /** The feedback acts before this moment, not at it; null never ends. */
  readonly expiresAt: number | null
}

export interface Feedback extends NewFeedback {
  readonly undoneAt: number | null
  /** From when on the index does not reflect it; null: it does, the end of its time included. */
  readonly dueAt: number | null
}

/** A report as it was when it was applied. */
export type AppliedFeedback = Pick<Feedback, "id" | "undoneAt">

/**
 * The tenants' reports. The index shows their consequences, so a row is *due* while the index does
 * not reflect it: when it is new, undone or expired. `settleFeedback` confirms that the index does.
 */
export interface FeedbackRecords {
  /**
   * Stores feedback, due at once, unless its claim was taken before. `response` is what the claim
   * is answered with.
   */
  addFeedback(
    feedback: NewFeedback,
    claim: IdempotencyClaim | null,
    response: string,
  ): Promise<ClaimOutcome>
  /**
   * Undoes a tenant's own feedback, which is then due again, and returns its identity; null if the
   * tenant has none with this id. Undoing it again changes nothing.
   */
  undoFeedback(of: { id: string; tenantId: number; at: number }): Promise<FeedbackIdentity | null>
  /**
   * All that the tenant reported of an identity, in order of receipt, undone and expired included.
   */
  feedbackOf(identity: FeedbackIdentity): Promise<Feedback[]>
  /** Identities with feedback that is due, in a fixed order. */
  dueFeedback(of: { at: number; limit: number }): Promise<FeedbackIdentity[]>
  /**
   * Confirms that the index reflects these reports, all there were of the identity, as of `at`;
   * claims that waited for it are done. false: there are others meanwhile, or one was undone, and
   * nothing is confirmed. If the power fails soon after, the feedback is due again.
   */
  settleFeedback(
    identity: FeedbackIdentity,
    at: number,
    reports: readonly AppliedFeedback[],
  ): Promise<boolean>
  /** Identities with feedback, by tenant and key, the first `limit` after `after`. */
  feedbackIdentities(of: {
    after: FeedbackIdentity | null
    limit: number
  }): Promise<FeedbackIdentity[]>
  /** What a tenant reported from a moment on and did not undo, the newest first. */
  feedbackSince(of: { tenantId: number; from: number; limit: number }): Promise<Feedback[]>
  /** When the newest feedback was received; null where there is none. */
  newestFeedbackAt(): Promise<number | null>
  /**
   * Deletes feedback that was undone or expired before `before` and is not due, and returns how
   * much that was.
   */
  forgetFeedback(before: number): Promise<number>
  /** Deletes claims taken before `before` and returns how many those were. */
  forgetClaims(before: number): Promise<number>
}

/** Few enough for the parameters of a statement. */
const ROWS_AT_ONCE = 500

/** Names the operation in claims. */
export const FEEDBACK_ROUTE = "POST /api/v1/feedback"

/** Feedback over either engine. */
export function sqlFeedback(
  { read, write, writeUnsynced }: Store,
  { scrub }: Pick<Engine, "scrub">,
): FeedbackRecords {
  return {
    addFeedback: (feedback, claim, response) =>
      write(async (db) => {
        if (claim !== null) {
          const outcome = await takeClaim(db, claim, response, feedback.receivedAt)
          if (outcome.state !== "taken") return outcome
        }
        await db
          .insertInto("feedback")
          .values({ ...feedbackColumns(feedback), claim: claim?.keyHash ?? null })
          .execute()
        return { state: "taken" }
      }),

    undoFeedback: ({ id, tenantId, at }) =>
      write(async (db) => {
        await db
          .updateTable("feedback")
          .set({ undone_at: at, due_at: at })
          .where("id", "=", id)
          .where("tenant_id", "=", tenantId)
          .where("undone_at", "is", null)
          .execute()
        const row = await db
          .selectFrom("feedback")
          .select(["tenant_id as tenantId", "identity_key as identityKey"])
          .where("id", "=", id)
          .where("tenant_id", "=", tenantId)
          .executeTakeFirst()
        return row === undefined ? null : { ...row }
      }),

    feedbackOf: ({ tenantId, identityKey }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("feedback")
          .selectAll()
          .where("tenant_id", "=", tenantId)
          .where("identity_key", "=", identityKey)
          .orderBy("received_at")
          .orderBy("id")
          .execute()
        return rows.map(feedbackOf)
      }),

    dueFeedback: ({ at, limit }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("feedback")
          .select(["tenant_id as tenantId", "identity_key as identityKey"])
          .distinct()
          .where("due_at", "<=", at)
          .orderBy("tenant_id")
          .orderBy("identity_key")
          .limit(limit)
          .execute()
        return rows.map((row) => ({ ...row }))
      }),

    settleFeedback: (identity, at, reports) =>
      writeUnsynced(async (db) => {
        const due = await dueReports(db, identity, at)
        if (!(await isAllThereIs(db, identity, due, reports))) return false
        await finishClaims(db, due)
        const { tenantId: owner, identityKey } = identity
        await touchWatched(db, { owner, identityKeys: [identityKey], cause: "feedback" })
        for (const undone of [false, true]) {
          const ids = due.filter((row) => (row.undone_at !== null) === undone).map(({ id }) => id)
          for (let from = 0; from < ids.length; from += ROWS_AT_ONCE)
            await settleRows(db, identity, at, ids.slice(from, from + ROWS_AT_ONCE), undone)
        }
        return true
      }),

    feedbackIdentities: ({ after, limit }) =>
      read(async (db) => {
        let query = db
          .selectFrom("feedback")
          .select(["tenant_id as tenantId", "identity_key as identityKey"])
          .distinct()
          .orderBy("tenant_id")
          .orderBy("identity_key")
          .limit(limit)
        if (after !== null) {
          query = query.where((row) =>
            row.or([
              row("tenant_id", ">", after.tenantId),
              row.and([
                row("tenant_id", "=", after.tenantId),
                row("identity_key", ">", after.identityKey),
              ]),
            ]),
          )
        }
        return (await query.execute()).map((row) => ({ ...row }))
      }),

    feedbackSince: ({ tenantId, from, limit }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("feedback")
          .selectAll()
          .where("tenant_id", "=", tenantId)
          .where("received_at", ">=", from)
          .where("undone_at", "is", null)
          .orderBy("received_at", "desc")
          .orderBy("id", "desc")
          .limit(limit)
          .execute()
        return rows.map(feedbackOf)
      }),

    newestFeedbackAt: () =>
      read(async (db) => {
        const { newest } = await db
          .selectFrom("feedback")
          .select((row) => row.fn.max<number | null>("received_at").as("newest"))
          .executeTakeFirstOrThrow()
        return newest
      }),

    async forgetFeedback(before) {
      const { numDeletedRows } = await write((db) =>
        db
          .deleteFrom("feedback")
          .where((row) => row.or([row("undone_at", "<", before), row("expires_at", "<", before)]))
          .where("due_at", "is", null)
          .executeTakeFirstOrThrow(),
      )
      await read(scrub)
      return Number(numDeletedRows)
    },

    async forgetClaims(before) {
      const { numDeletedRows } = await write((db) =>
        db.deleteFrom("idempotency").where("created_at", "<", before).executeTakeFirstOrThrow(),
      )
      return Number(numDeletedRows)
    },
  }
}

type DueReport = Pick<Selectable<Schema["feedback"]>, "id" | "undone_at" | "key_id" | "claim">

async function dueReports(
  db: Write,
  { tenantId, identityKey }: FeedbackIdentity,
  at: number,
): Promise<DueReport[]> {
  return await db
    .selectFrom("feedback")
    .select(["id", "undone_at", "key_id", "claim"])
    .where("tenant_id", "=", tenantId)
    .where("identity_key", "=", identityKey)
    .where("due_at", "<=", at)
    .execute()
}

/**
 * Whether what was applied is still all there is. Reports are only added and undone, and both
 * numbers only grow; those that are forgotten had ended long before.
 */
async function isAllThereIs(
  db: Write,
  { tenantId, identityKey }: FeedbackIdentity,
  due: readonly DueReport[],
  reports: readonly AppliedFeedback[],
): Promise<boolean> {
  const applied = new Map(reports.map(({ id, undoneAt }) => [id, undoneAt !== null]))
  if (due.some(({ id, undone_at }) => applied.get(id) !== (undone_at !== null))) return false
  const { all, undone } = await db
    .selectFrom("feedback")
    .select((row) => [
      row.fn.countAll<number>().as("all"),
      row.fn.count<number>("undone_at").as("undone"),
    ])
    .where("tenant_id", "=", tenantId)
    .where("identity_key", "=", identityKey)
    .executeTakeFirstOrThrow()
  const wasUndone = reports.filter(({ undoneAt }) => undoneAt !== null).length
  return all === reports.length && undone === wasUndone
}

/** Passes over one that is undone at this moment: it is due again. */
async function settleRows(
  db: Write,
  { tenantId, identityKey }: FeedbackIdentity,
  at: number,
  ids: readonly string[],
  undone: boolean,
): Promise<void> {
  await db
    .updateTable("feedback")
    .set((row) => ({
      due_at: row
        .case()
        .when(row.and([row("undone_at", "is", null), row("expires_at", ">", at)]))
        .then(row.ref("expires_at"))
        .else(null)
        .end(),
    }))
    .where("tenant_id", "=", tenantId)
    .where("identity_key", "=", identityKey)
    .where("due_at", "<=", at)
    .where("id", "in", ids)
    .where("undone_at", undone ? "is not" : "is", null)
    .execute()
}

async function finishClaims(db: Write, due: readonly DueReport[]): Promise<void> {
  for (const { key_id: keyId, claim: keyHash } of due)
    if (keyHash !== null) await finishClaim(db, { keyId, route: FEEDBACK_ROUTE, keyHash })
}

/** A row of feedback that is due at once. */
export function feedbackColumns(
  feedback: NewFeedback,
): Omit<Selectable<Schema["feedback"]>, "claim"> {
  return {
    id: feedback.id,
    tenant_id: feedback.tenantId,
    key_id: feedback.keyId,
    identity_key: feedback.identityKey,
    identity_type: feedback.identityType,
    alias_tag: feedback.aliasTag,
    outcome: feedback.outcome,
    occurred_at: feedback.occurredAt,
    received_at: feedback.receivedAt,
    loss: feedback.loss === null ? null : String(feedback.loss),
    reference: feedback.reference,
    expires_at: feedback.expiresAt,
    undone_at: null,
    due_at: feedback.receivedAt,
  }
}

export function feedbackOf(row: Selectable<Schema["feedback"]>): Feedback {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    keyId: row.key_id,
    identityKey: row.identity_key,
    identityType: row.identity_type as IdentityType,
    aliasTag: row.alias_tag,
    outcome: row.outcome as FeedbackOutcome,
    occurredAt: row.occurred_at,
    receivedAt: row.received_at,
    loss: row.loss === null ? null : Number(row.loss),
    reference: row.reference,
    expiresAt: row.expires_at,
    undoneAt: row.undone_at,
    dueAt: row.due_at,
  }
}
