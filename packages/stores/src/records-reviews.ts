import { firstDecisionIdAt } from "./decision-id.ts"
import { appendEvents, type NewEvent } from "./records-events.ts"
import type { Engine, EventInserts, Store, Write } from "./records-engine.ts"
import { type ReviewChanges, sqlReviewChanges } from "./records-review-changes.ts"
import {
  type NewReview,
  passes,
  type Review,
  reviewColumns,
  type ReviewFilter,
  reviewOf,
} from "./records-review-rows.ts"

export type { NewReview, Review, ReviewFilter } from "./records-review-rows.ts"

export interface ReviewErasure {
  readonly identityKey: Uint8Array
  /** null: of all tenants. */
  readonly tenantId: number | null
  /** Epoch milliseconds; those of later decisions are kept. */
  readonly upTo: number
}

/** What waits for analysts. */
export interface ReviewRecords extends ReviewChanges {
  /**
   * Adds them with events about the same decisions, all or none. Adding one again changes nothing,
   * also once it is decided: journals may be read twice.
   */
  addReviews(reviews: readonly NewReview[], events?: readonly NewEvent[]): Promise<void>
  /** Of one tenant, the newest first; with `before`, only those with smaller ids. */
  reviews(query: {
    tenantId: number
    filter: ReviewFilter
    before?: string
    limit: number
  }): Promise<Review[]>
  /** null where the tenant has none of this id. */
  review(of: { id: string; tenantId: number }): Promise<Review | null>
  /** About one identity, of one tenant or of all, the newest first. */
  reviewsOn(identityKey: Uint8Array, tenantId: number | null): Promise<Review[]>
  /** Deletes those of decisions made before this moment and returns how many those were. */
  forgetReviews(before: number): Promise<number>
  /** Deletes those about an identity and returns how many those were. */
  eraseReviews(erasure: ReviewErasure): Promise<number>
}

/** Reviews over either engine. */
export function sqlReviews(
  store: Store,
  { scrub, insertReviews, ...inserts }: EventInserts & Pick<Engine, "scrub" | "insertReviews">,
): ReviewRecords {
  const { read, write } = store
  const reviewsOn: ReviewRecords["reviewsOn"] = (identityKey, tenantId) =>
    read(async (db) => {
      const rows = await db
        .selectFrom("reviews")
        .selectAll()
        .where("identity_key", "=", identityKey)
        .$if(tenantId !== null, (query) => query.where("tenant_id", "=", tenantId ?? 0))
        .orderBy("id", "desc")
        .execute()
      return rows.map(reviewOf)
    })

  return {
    ...sqlReviewChanges(store),

    async addReviews(reviews, events = []) {
      if (reviews.length === 0 && events.length === 0) return
      await write(async (db) => {
        for (let from = 0; from < reviews.length; from += ROWS_AT_ONCE) {
          await insertReviews(db, reviews.slice(from, from + ROWS_AT_ONCE).map(reviewColumns))
        }
        // Last, because from there on other events wait for the end of this.
        await appendEvents(db, inserts, events)
      })
    },

    reviews: ({ tenantId, filter, before, limit }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("reviews")
          .selectAll()
          .where("tenant_id", "=", tenantId)
          .where((row) => passes(row, filter))
          .$if(before !== undefined, (query) => query.where("id", "<", before ?? ""))
          .orderBy("id", "desc")
          .limit(limit)
          .execute()
        return rows.map(reviewOf)
      }),

    review: ({ id, tenantId }) =>
      read(async (db) => {
        const row = await db
          .selectFrom("reviews")
          .selectAll()
          .where("id", "=", id)
          .where("tenant_id", "=", tenantId)
          .executeTakeFirst()
        return row === undefined ? null : reviewOf(row)
      }),

    reviewsOn,

    async forgetReviews(before) {
      const { numDeletedRows } = await write((db) =>
        db
          .deleteFrom("reviews")
          .where("id", "<", firstDecisionIdAt(Math.max(0, before)))
          .executeTakeFirstOrThrow(),
      )
      if (numDeletedRows > 0n) await read(scrub)
      return Number(numDeletedRows)
    },

    async eraseReviews(erasure) {
      // Every start asks for all that were ever erased, who mostly have none.
      const { identityKey, tenantId } = erasure
      if ((await reviewsOn(identityKey, tenantId)).length === 0) return 0
      const count = await write((db) => deleteReviews(db, erasure))
      if (count > 0) await read(scrub)
      return count
    },
  }
}

/** A statement may name some 32,000 values, and a row has 11 of them. */
const ROWS_AT_ONCE = 500

/** Deletes reviews about an identity, in the transaction that also deletes what else there is. */
export async function deleteReviews(
  db: Write,
  { identityKey, tenantId, upTo }: ReviewErasure,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("reviews")
    .where("identity_key", "=", identityKey)
    .where("id", "<", firstDecisionIdAt(upTo + 1))
    .$if(tenantId !== null, (query) => query.where("tenant_id", "=", tenantId ?? 0))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
