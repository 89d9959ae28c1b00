import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"

import type { Engine } from "../records-engine.ts"

const REVIEW_COLUMNS = [
  ...["id", "tenant_id", "key_id", "identity_key", "identity_type", "action", "stage", "score"],
  ...["model_version", "reasons", "ref", "assignee", "outcome", "note", "decided_at"],
  ...["decided_by", "feedback_id"],
] as const
const EVENT_COLUMNS = [
  ...["id", "tenant_id", "kind", "at", "ref", "identity_key", "data", "sealed"],
] as const

/**
 * Row by row, each with a statement that is kept: a busy service adds thousands of reviews and
 * events a second, and to build a statement of many rows for them takes several times as long as to
 * run it. Called within a transaction of the one connection there is.
 */
export function rowInserts(database: DatabaseSync): Pick<Engine, "insertReviews" | "insertEvents"> {
  // Prepared late: there are no tables before the first migration.
  let review: StatementSync | null = null
  let event: StatementSync | null = null
  return {
    async insertReviews(_, rows) {
      review ??= database.prepare(
        `insert into reviews (${REVIEW_COLUMNS.join(", ")})
         values (${REVIEW_COLUMNS.map(() => "?").join(", ")}) on conflict (id) do nothing`,
      )
      for (const row of rows) review.run(...REVIEW_COLUMNS.map((column) => row[column]))
    },

    async insertEvents(_, rows) {
      event ??= database.prepare(
        `insert into events (${EVENT_COLUMNS.join(", ")})
         select ${EVENT_COLUMNS.map((_, n) => `?${n + 1}`).join(", ")}
         where ?${KEY_PLACE} is null
           or not exists (select 1 from tombstones where identity_key = ?${KEY_PLACE})
         on conflict (id) do nothing`,
      )
      const inserted = []
      for (const row of rows) {
        const values: SQLInputValue[] = EVENT_COLUMNS.map((column) => row[column])
        const { changes, lastInsertRowid } = event.run(...values)
        if (changes === 0) continue
        const { tenant_id, kind, at, identity_key } = row
        inserted.push({ seq: Number(lastInsertRowid), tenant_id, kind, at, identity_key })
      }
      return inserted
    },
  }
}

const KEY_PLACE = EVENT_COLUMNS.indexOf("identity_key") + 1
