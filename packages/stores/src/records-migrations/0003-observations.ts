import { sql, type Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** What tenants observed themselves and sent. */
export async function observations(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, tableEnd } = columns

  await db.schema
    .createTable("observations")
    .addColumn("identity_key", bytes, (column) => column.notNull())
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    .addColumn("source", text, (column) => column.notNull())
    // Entry v1, which has one spelling: equal content is one row. The identity stands first in the
    // key, since erasure and export look up an identity across all tenants.
    .addColumn("entry", bytes, (column) => column.notNull())
    .addColumn("key_id", text, (column) => column.notNull().references("keys.id"))
    .addColumn("received_at", integer, (column) => column.notNull())
    // Since when the index should have it and may not; null once it has.
    .addColumn("due_at", integer)
    .addPrimaryKeyConstraint("observations_content", [
      "identity_key",
      "tenant_id",
      "source",
      "entry",
    ])
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createIndex("observations_due")
    .on("observations")
    .columns(["tenant_id", "identity_key"])
    .where(sql.ref("due_at"), "is not", null)
    .execute()
}
