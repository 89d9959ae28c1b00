import type { Selectable } from "kysely"

import { type Change, note } from "./records-audit.ts"
import type { Store } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import type { Schema } from "./records-schema.ts"

/** A filter under a name. */
export interface ReviewView {
  readonly id: string
  readonly tenantId: number
  /** Who alone sees it; null: everybody of the tenant. */
  readonly owner: string | null
  readonly name: string
  /** As its owner wrote it: JSON that this port does not look into. */
  readonly filter: Readonly<Record<string, unknown>>
  readonly savedAt: number
}

export interface NewReviewView extends Change {
  readonly id: string
  readonly tenantId: number
  readonly shared: boolean
  readonly name: string
  readonly filter: Readonly<Record<string, unknown>>
}

/** More would only be found by scrolling. */
export const REVIEW_VIEWS_MAX = 100

export interface ReviewViews {
  /**
   * Saves a view of the actor's own, or one that all of the tenant share. One of the same name is
   * replaced and keeps its id. Throws `name-taken` where the tenant has too many.
   */
  saveReviewView(view: NewReviewView): Promise<ReviewView>
  /** Shared ones and those of this owner, by name. */
  reviewViews(of: { tenantId: number; owner: string }): Promise<ReviewView[]>
  /** False where this owner sees no such view. */
  deleteReviewView(of: Change & { tenantId: number; id: string }): Promise<boolean>
}

const SHARED = ""

/** Views over either engine. */
export function sqlReviewViews({ read, write }: Store): ReviewViews {
  return {
    saveReviewView: (view) =>
      write(async (db) => {
        const { tenantId, name, at } = view
        const owner = view.shared ? SHARED : view.actor
        const filter = JSON.stringify(view.filter)
        const saved = await db
          .insertInto("review_views")
          .values({ id: view.id, tenant_id: tenantId, owner, name, filter, saved_at: at })
          .onConflict((conflict) =>
            conflict.columns(["tenant_id", "owner", "name"]).doUpdateSet({ filter, saved_at: at }),
          )
          .returningAll()
          .executeTakeFirstOrThrow()
        const { count } = await db
          .selectFrom("review_views")
          .select((row) => row.fn.countAll<number>().as("count"))
          .where("tenant_id", "=", tenantId)
          .executeTakeFirstOrThrow()
        if (count > REVIEW_VIEWS_MAX)
          throw new RecordsError("name-taken", "The tenant has as many views as there may be")
        await note(db, view, "review-view.save", `tenant:${tenantId}`, {
          view: saved.id,
          shared: view.shared,
        })
        return viewOf(saved)
      }),

    reviewViews: ({ tenantId, owner }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("review_views")
          .selectAll()
          .where("tenant_id", "=", tenantId)
          .where("owner", "in", [SHARED, owner])
          .orderBy("name")
          .orderBy("owner")
          .execute()
        return rows.map(viewOf)
      }),

    deleteReviewView: (of) =>
      write(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom("review_views")
          .where("tenant_id", "=", of.tenantId)
          .where("id", "=", of.id)
          .where("owner", "in", [SHARED, of.actor])
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) return false
        await note(db, of, "review-view.delete", `tenant:${of.tenantId}`, { view: of.id })
        return true
      }),
  }
}

function viewOf(row: Selectable<Schema["review_views"]>): ReviewView {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    owner: row.owner === SHARED ? null : row.owner,
    name: row.name,
    filter: JSON.parse(row.filter) as ReviewView["filter"],
    savedAt: row.saved_at,
  }
}
