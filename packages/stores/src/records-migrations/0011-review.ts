import type { Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** Decisions that wait for an analyst, what analysts found, and how they like to look at them. */
export async function review(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, tableEnd } = columns
  await db.schema
    .createTable("reviews")
    // That of the decision: by time, so old ones lie together.
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    // No references. A journal may name a tenant or key that restored records do not have, and one
    // row that cannot be stored would keep every later decision in the journals.
    .addColumn("tenant_id", integer, (column) => column.notNull())
    .addColumn("key_id", text, (column) => column.notNull())
    .addColumn("identity_key", bytes, (column) => column.notNull())
    .addColumn("identity_type", text, (column) => column.notNull())
    .addColumn("action", text, (column) => column.notNull())
    .addColumn("stage", text)
    .addColumn("score", integer, (column) => column.notNull())
    .addColumn("model_version", text, (column) => column.notNull())
    // Codes with a space before and after each, so that one is found by ' CODE '.
    .addColumn("reasons", text, (column) => column.notNull())
    .addColumn("ref", text)
    .addColumn("assignee", text)
    // null while it waits.
    .addColumn("outcome", text)
    .addColumn("note", text)
    .addColumn("decided_at", integer)
    .addColumn("decided_by", text)
    .addColumn("feedback_id", text)
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createIndex("reviews_of_tenant")
    .on("reviews")
    .columns(["tenant_id", "id"])
    .execute()
  await db.schema.createIndex("reviews_of_identity").on("reviews").column("identity_key").execute()

  await db.schema
    .createTable("review_views")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    // Who alone sees it; empty: everybody of the tenant.
    .addColumn("owner", text, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("filter", text, (column) => column.notNull())
    .addColumn("saved_at", integer, (column) => column.notNull())
    .addUniqueConstraint("review_views_name", ["tenant_id", "owner", "name"])
    .modifyEnd(tableEnd)
    .execute()
}
