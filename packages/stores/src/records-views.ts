import type { Selectable } from "kysely"

import { type Change, note } from "./records-audit.ts"
import type { Store } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import type { Schema } from "./records-schema.ts"

/** The lists that a view can be of. */
export type ViewedList = "reviews" | "decisions"

/** A filter of a list under a name. */
export interface SavedView {
  readonly id: string
  readonly tenantId: number
  readonly list: ViewedList
  /** Who alone sees it; null: everybody of the tenant. */
  readonly owner: string | null
  readonly name: string
  /** As its owner wrote it: JSON that this port does not look into. */
  readonly filter: Readonly<Record<string, unknown>>
  readonly savedAt: number
}

export interface NewView extends Change {
  readonly id: string
  readonly tenantId: number
  readonly list: ViewedList
  readonly shared: boolean
  readonly name: string
  readonly filter: Readonly<Record<string, unknown>>
}

/** Of each list. More would only be found by scrolling. */
export const VIEWS_MAX = 100

export interface ViewRecords {
  /**
   * Saves a view of the actor's own, or one that all of the tenant share. One of the same list and
   * name is replaced and keeps its id. Throws `name-taken` where the tenant has too many.
   */
  saveView(view: NewView): Promise<SavedView>
  /** Shared ones and those of this owner, by name. */
  views(of: { tenantId: number; list: ViewedList; owner: string }): Promise<SavedView[]>
  /** False where this owner sees no such view of this list. */
  deleteView(of: Change & { tenantId: number; list: ViewedList; id: string }): Promise<boolean>
}

const SHARED = ""

/** What the audit trail calls a view. */
const NOTED = { reviews: "review-view", decisions: "decision-view" } as const

/** Views over either engine. */
export function sqlViews({ read, write }: Store): ViewRecords {
  return {
    saveView: (view) =>
      write(async (db) => {
        const { id, tenantId, list, name, at } = view
        const owner = view.shared ? SHARED : view.actor
        const filter = JSON.stringify(view.filter)
        const saved = await db
          .insertInto("saved_views")
          .values({ id, tenant_id: tenantId, list, owner, name, filter, saved_at: at })
          .onConflict((conflict) =>
            conflict
              .columns(["tenant_id", "list", "owner", "name"])
              .doUpdateSet({ filter, saved_at: at }),
          )
          .returningAll()
          .executeTakeFirstOrThrow()
        const { count } = await db
          .selectFrom("saved_views")
          .select((row) => row.fn.countAll<number>().as("count"))
          .where("tenant_id", "=", tenantId)
          .where("list", "=", list)
          .executeTakeFirstOrThrow()
        if (count > VIEWS_MAX)
          throw new RecordsError("name-taken", "The tenant has as many views as there may be")
        await note(db, view, `${NOTED[list]}.save`, `tenant:${tenantId}`, {
          view: saved.id,
          shared: view.shared,
        })
        return viewOf(saved)
      }),

    views: ({ tenantId, list, owner }) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("saved_views")
          .selectAll()
          .where("tenant_id", "=", tenantId)
          .where("list", "=", list)
          .where("owner", "in", [SHARED, owner])
          .orderBy("name")
          .orderBy("owner")
          .execute()
        return rows.map(viewOf)
      }),

    deleteView: (of) =>
      write(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom("saved_views")
          .where("tenant_id", "=", of.tenantId)
          .where("list", "=", of.list)
          .where("id", "=", of.id)
          .where("owner", "in", [SHARED, of.actor])
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) return false
        await note(db, of, `${NOTED[of.list]}.delete`, `tenant:${of.tenantId}`, { view: of.id })
        return true
      }),
  }
}

function viewOf(row: Selectable<Schema["saved_views"]>): SavedView {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    list: row.list as ViewedList,
    owner: row.owner === SHARED ? null : row.owner,
    name: row.name,
    filter: JSON.parse(row.filter) as SavedView["filter"],
    savedAt: row.saved_at,
  }
}
