import { sql, type Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** What happened, whom to tell of it, and what became of telling them. */
export async function events(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, identity, tableEnd } = columns
  await db.schema
    .createTable("events")
    // In the order of commits, so that whoever reads forward misses none.
    .addColumn("seq", integer, identity)
    .addColumn("id", text, (column) => column.notNull().unique())
    // null: of the service itself.
    .addColumn("tenant_id", integer, (column) => column.references("tenants.id"))
    .addColumn("kind", text, (column) => column.notNull())
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("ref", text)
    .addColumn("identity_key", bytes)
    .addColumn("data", text, (column) => column.notNull())
    // The identity itself, encrypted, where the tenant asked for it.
    .addColumn("sealed", bytes)
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createIndex("events_of_tenant")
    .on("events")
    .columns(["tenant_id", "seq"])
    .execute()
  await db.schema.createIndex("events_of_identity").on("events").column("identity_key").execute()
  await db.schema.createIndex("events_by_time").on("events").column("at").execute()

  await db.schema
    .createTable("webhooks")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("tenant_id", integer, (column) => column.references("tenants.id"))
    .addColumn("url", text, (column) => column.notNull())
    .addColumn("description", text, (column) => column.notNull())
    // Kinds with a space before and after each, so that one is found by ' KIND '.
    .addColumn("kinds", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("changed_at", integer, (column) => column.notNull())
    // null while it is enabled; else since when it is not, and JSON that says why.
    .addColumn("disabled_at", integer)
    .addColumn("disabled", text)
    // The first failure since the last success.
    .addColumn("failing_since", integer)
    .modifyEnd(tableEnd)
    .execute()
  await db.schema.createIndex("webhooks_of_tenant").on("webhooks").column("tenant_id").execute()

  await db.schema
    .createTable("webhook_secrets")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("webhook_id", text, (column) => column.notNull().references("webhooks.id"))
    .addColumn("scheme", text, (column) => column.notNull())
    .addColumn("sealed", bytes, (column) => column.notNull())
    // Of a pair of keys.
    .addColumn("public_key", bytes)
    .addColumn("created_at", integer, (column) => column.notNull())
    // null: until it is rotated.
    .addColumn("expires_at", integer)
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createIndex("webhook_secrets_of_webhook")
    .on("webhook_secrets")
    .column("webhook_id")
    .execute()

  await db.schema
    .createTable("deliveries")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("webhook_id", text, (column) => column.notNull().references("webhooks.id"))
    .addColumn("event_seq", integer, (column) => column.notNull().references("events.seq"))
    .addColumn("kind", text, (column) => column.notNull())
    // Those of one webhook with the same key go out one after the other.
    .addColumn("order_key", bytes)
    .addColumn("status", text, (column) => column.notNull())
    // How many scheduled attempts failed, and when the first was.
    .addColumn("attempt", integer, (column) => column.notNull())
    .addColumn("first_at", integer)
    .addColumn("next_at", integer)
    // While it is being sent: until when others leave it alone, and the sender's mark.
    .addColumn("locked_until", integer)
    .addColumn("claim", text)
    .addColumn("last_at", integer)
    .addColumn("last_status", integer)
    .addColumn("last_error", text)
    .addUniqueConstraint("deliveries_once", ["webhook_id", "event_seq"])
    .modifyEnd(tableEnd)
    .execute()
  await db.schema.createIndex("deliveries_of_event").on("deliveries").column("event_seq").execute()
  // Few rows at any time, however many were delivered.
  await sql`create index deliveries_pending on deliveries (webhook_id, next_at)
    where status = 'pending'`.execute(db)
  await sql`create index deliveries_in_order on deliveries (webhook_id, order_key, event_seq)
    where order_key is not null and (status = 'pending' or locked_until is not null)`.execute(db)

  await db.schema
    .createTable("attempts")
    .addColumn("id", integer, identity)
    .addColumn("delivery_id", text, (column) => column.notNull().references("deliveries.id"))
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("cause", text, (column) => column.notNull())
    .addColumn("status", integer)
    .addColumn("error", text)
    .addColumn("duration_ms", integer, (column) => column.notNull())
    .addColumn("response", text)
    .modifyEnd(tableEnd)
    .execute()
  await db.schema.createIndex("attempts_of_delivery").on("attempts").column("delivery_id").execute()
}
