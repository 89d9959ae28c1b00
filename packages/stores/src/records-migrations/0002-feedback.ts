import type { Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** What tenants sent about identities, and which of their requests were carried out already. */
export async function feedback(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, tableEnd } = columns

  await db.schema
    .createTable("evidence")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    .addColumn("key_id", text, (column) => column.notNull().references("keys.id"))
    .addColumn("identity_key", bytes, (column) => column.notNull())
    .addColumn("subject", text, (column) => column.notNull())
    .addColumn("alias_tag", integer, (column) => column.notNull())
    .addColumn("outcome", text, (column) => column.notNull())
    .addColumn("occurred_at", integer, (column) => column.notNull())
    .addColumn("received_at", integer, (column) => column.notNull())
    // A decimal number as text: neither engine's own types keep every number of the other.
    .addColumn("loss", text)
    .addColumn("reference", text)
    .addColumn("expires_at", integer)
    .addColumn("undone_at", integer)
    // From when on the index no longer says what the row asks for: at once for a row just written
    // or undone, at its end for one that expires, null for one that has nothing more to change.
    .addColumn("due_at", integer)
    .addColumn("claim", bytes)
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createIndex("evidence_identity")
    .on("evidence")
    .columns(["tenant_id", "identity_key"])
    .execute()
  await db.schema.createIndex("evidence_due").on("evidence").column("due_at").execute()

  await db.schema
    .createTable("idempotency")
    .addColumn("key_id", text, (column) => column.notNull().references("keys.id"))
    .addColumn("route", text, (column) => column.notNull())
    .addColumn("key_hash", bytes, (column) => column.notNull())
    .addColumn("fingerprint", bytes, (column) => column.notNull())
    .addColumn("status", text, (column) => column.notNull())
    .addColumn("response", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("idempotency_key", ["key_id", "route", "key_hash"])
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createIndex("idempotency_created")
    .on("idempotency")
    .column("created_at")
    .execute()
}
