import type { IdentityType } from "@assay/core/identity"
import type { SubjectReason } from "@assay/core/contract"

import { type Change, note } from "./records-audit.ts"
import type { Engine, Store, Write } from "./records-engine.ts"
import { deleteEventsOf } from "./records-events.ts"
import { deleteEvidence } from "./records-evidence.ts"
import { feedbackOf, type Feedback } from "./records-feedback.ts"
import { deleteReviews } from "./records-reviews.ts"
import { deleteWatched } from "./records-watch.ts"

/** Who asked about a subject and why. No audit entry contains the subject itself. */
export interface SubjectChange extends Change {
  readonly identityKey: Uint8Array
  readonly identityType: IdentityType
  /** Only what this tenant holds; null: what anybody does. */
  readonly tenantId: number | null
  readonly reason: SubjectReason
  readonly reference: string | null
}

export interface Tombstone {
  readonly identityKey: Uint8Array
  readonly erasedAt: number
}

/** The records' data about the person behind an identity. */
export interface SubjectRecords {
  /**
   * Deletes reports and events about an identity and, for all tenants, what sources notified us of
   * about it, and marks it as erased for good. Noted in the audit trail in the same transaction.
   * Returns how many reports there were, and since when it is erased.
   */
  eraseSubject(change: SubjectChange): Promise<{ reports: number; erasedAt: number }>
  /**
   * The same for all tenants, for an identity whose tombstone was kept elsewhere, with the original
   * moment. An identity that is erased already stays unchanged.
   */
  eraseAgain(tombstone: Tombstone): Promise<void>
  /**
   * Notes an export in the audit trail, unless this owner made `max` from `since` to the moment of
   * the change; then the moment of the oldest of those is returned, and null where the export may
   * go on.
   */
  admitExport(change: SubjectChange, max: number, since: number): Promise<number | null>
  /**
   * Reports about an identity of one tenant or of all, undone ones included, in order of receipt.
   */
  reportsOn(identityKey: Uint8Array, tenantId: number | null): Promise<Feedback[]>
  /** null where the identity is not erased. */
  tombstone(identityKey: Uint8Array): Promise<Tombstone | null>
  /** All erased identities, by key, the first `limit` after `after`. */
  tombstones(of: { after: Uint8Array | null; limit: number }): Promise<Tombstone[]>
}

/** In the audit trail: of one tenant or of all. */
export const ERASE = "subject.erase"
const EXPORT = "subject.export"
/**
 * Of simultaneous requests a later one may be written first. An entry dated further ahead is from
 * before the clock was set back, and would lock its owner out until that time comes round again.
 */
const TOGETHER_MS = 60_000

/** Subjects over either engine. */
export function sqlSubjects(
  { read, write }: Store,
  { scrub, ...engine }: Pick<Engine, "scrub" | "takeTurn" | "forUpdate">,
): SubjectRecords {
  return {
    async eraseSubject(change) {
      const { identityKey, tenantId, at } = change
      const erased = await write(async (db) => {
        if (tenantId === null) await bury(db, { identityKey, erasedAt: at })
        const reports = await deleteReports(db, identityKey, tenantId)
        await deleteReviews(db, { identityKey, tenantId, upTo: at })
        await deleteEventsOf(db, engine, { identityKey, tenantId })
        await note(db, change, ERASE, ownerOf(tenantId), { ...noteOf(change), reports })
        return { reports, erasedAt: at }
      })
      await read(scrub)
      return erased
    },

    async eraseAgain(tombstone) {
      await write(async (db) => {
        if (!(await bury(db, tombstone))) return
        const { identityKey, erasedAt: upTo } = tombstone
        const reports = await deleteReports(db, identityKey, null)
        await deleteReviews(db, { identityKey, tenantId: null, upTo })
        await deleteEventsOf(db, engine, { identityKey, tenantId: null })
        const change = { at: tombstone.erasedAt, actor: "tombstones" }
        await note(db, change, ERASE, ownerOf(null), { again: true, reports })
      })
      await read(scrub)
    },

    admitExport: (change, max, since) =>
      write(async (db) => {
        const recent = await db
          .selectFrom("audit")
          .select("at")
          .where("action", "=", EXPORT)
          .where("subject", "=", ownerOf(change.tenantId))
          .where("at", ">", since)
          .where("at", "<=", change.at + TOGETHER_MS)
          .orderBy("at", "desc")
          .limit(max)
          .execute()
        if (recent.length >= max) return recent.at(-1)?.at ?? since
        await note(db, change, EXPORT, ownerOf(change.tenantId), noteOf(change))
        return null
      }),

    reportsOn: (identityKey, tenantId) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("feedback")
          .selectAll()
          .where("identity_key", "=", identityKey)
          .$if(tenantId !== null, (query) => query.where("tenant_id", "=", tenantId ?? 0))
          .orderBy("received_at")
          .orderBy("id")
          .execute()
        return rows.map(feedbackOf)
      }),

    tombstone: (identityKey) =>
      read(async (db) => {
        const row = await db
          .selectFrom("tombstones")
          .select(["identity_key as identityKey", "erased_at as erasedAt"])
          .where("identity_key", "=", identityKey)
          .executeTakeFirst()
        return row === undefined ? null : { ...row }
      }),

    tombstones: ({ after, limit }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("tombstones")
          .select(["identity_key as identityKey", "erased_at as erasedAt"])
          .$if(after !== null, (query) =>
            query.where("identity_key", ">", after ?? new Uint8Array()),
          )
          .orderBy("identity_key")
          .limit(limit)
          .execute()
        return rows.map((row) => ({ ...row }))
      }),
  }
}

/** False where the identity is erased already. */
async function bury(db: Write, { identityKey, erasedAt }: Tombstone): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto("tombstones")
    .values({ identity_key: identityKey, erased_at: erasedAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

/**
 * Deletes the reports of one tenant or of all, and for all also the actions of operators, and ends
 * watching; returns how many reports there were.
 */
async function deleteReports(
  db: Write,
  identityKey: Uint8Array,
  tenantId: number | null,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("feedback")
    .where("identity_key", "=", identityKey)
    .$if(tenantId !== null, (query) => query.where("tenant_id", "=", tenantId ?? 0))
    .executeTakeFirstOrThrow()
  await deleteWatched(db, identityKey, tenantId)
  return Number(numDeletedRows) + (await deleteEvidence(db, identityKey, tenantId))
}

function ownerOf(tenantId: number | null): string {
  return tenantId === null ? "service" : `tenant:${tenantId}`
}

function noteOf({ identityType, reason, reference }: SubjectChange): Record<string, unknown> {
  return { subject: identityType, reason, ...(reference === null ? {} : { reference }) }
}
