import { sql, type Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** What mobile operators notified us of about single numbers, for everybody. */
export async function sharedObservations(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, tableEnd } = columns

  await db.schema
    .createTable("shared_observations")
    .addColumn("identity_key", bytes, (column) => column.notNull())
    .addColumn("source", text, (column) => column.notNull())
    // Entry v1, which has one spelling: equal content is one row.
    .addColumn("entry", bytes, (column) => column.notNull())
    // A keyed hash of the notification's own id, to recognise one that is sent again.
    .addColumn("event", bytes, (column) => column.notNull())
    .addColumn("received_at", integer, (column) => column.notNull())
    // Since when the index should have it and may not; null once it has.
    .addColumn("due_at", integer)
    .addPrimaryKeyConstraint("shared_observations_content", ["identity_key", "source", "entry"])
    .addUniqueConstraint("shared_observations_event", ["source", "event"])
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createIndex("shared_observations_due")
    .on("shared_observations")
    .column("identity_key")
    .where(sql.ref("due_at"), "is not", null)
    .execute()
}
