import type { DatabaseSync, StatementSync } from "node:sqlite"

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
  let tombstone: StatementSync | null = null

  /** Of neighbours about one identity, which most events are, the first alone is looked up. */
  function erasedAmong(): (key: Uint8Array | null) => boolean {
    const erased = (tombstone ??= database.prepare(
      "select 1 from tombstones where identity_key = ?",
    ))
    let last: { readonly key: Uint8Array | null; readonly is: boolean } = { key: null, is: false }
    return (key) => {
      if (key !== last.key) last = { key, is: key !== null && erased.get(key) !== undefined }
      return last.is
    }
  }

  return {
    async insertReviews(_, rows) {
      review ??= database.prepare(insertInto("reviews", REVIEW_COLUMNS))
      for (const row of rows) review.run(...REVIEW_COLUMNS.map((column) => row[column]))
    },

    async insertEvents(_, rows) {
      // Not an `insert ... select ... where not exists`: SQLite keeps a copy of each page that such
      // a statement changes until it is over, which takes a quarter of its time.
      event ??= database.prepare(insertInto("events", EVENT_COLUMNS))
      const isErased = erasedAmong()
      const inserted = []
      for (const row of rows) {
        if (isErased(row.identity_key)) continue
        const { changes, lastInsertRowid } = event.run(
          ...EVENT_COLUMNS.map((column) => row[column]),
        )
        if (changes === 0) continue
        const { tenant_id, kind, at, identity_key } = row
        inserted.push({ seq: Number(lastInsertRowid), tenant_id, kind, at, identity_key })
      }
      return inserted
    },
  }
}

function insertInto(table: string, columns: readonly string[]): string {
  const places = columns.map(() => "?").join(", ")
  return `insert into ${table} (${columns.join(", ")}) values (${places}) on conflict (id) do nothing`
}
