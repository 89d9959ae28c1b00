import { sql, type Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** Tenants, their keys, what they used, and who changed what. */
export async function accounts(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, identity, tableEnd } = columns

  await db.schema
    .createTable("meta")
    .addColumn("name", text, (column) => column.primaryKey().notNull())
    .addColumn("value", text, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute()
  await sql`insert into meta (name, value) values ('accounts_version', '0')`.execute(db)

  await db.schema
    .createTable("tenants")
    .addColumn("id", integer, identity)
    .addColumn("name", text, (column) => column.notNull().unique())
    .addColumn("plan", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("settings", text, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute()

  await db.schema
    .createTable("keys")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("tenant_id", integer, (column) => column.references("tenants.id"))
    .addColumn("hash", bytes, (column) => column.notNull().unique())
    .addColumn("hint", text, (column) => column.notNull())
    .addColumn("label", text, (column) => column.notNull())
    .addColumn("scopes", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("expires_at", integer)
    .addColumn("revoked_at", integer)
    .addColumn("replaced_by", text, (column) => column.references("keys.id"))
    .modifyEnd(tableEnd)
    .execute()
  await db.schema.createIndex("keys_tenant").on("keys").column("tenant_id").execute()

  await db.schema
    .createTable("usage")
    .addColumn("key_id", text, (column) => column.notNull().references("keys.id"))
    .addColumn("day", text, (column) => column.notNull())
    .addColumn("operation", text, (column) => column.notNull())
    .addColumn("count", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("usage_key", ["key_id", "day", "operation"])
    .modifyEnd(tableEnd)
    .execute()
  // A month is added up over all keys, which the primary key, led by the key, cannot answer.
  await db.schema.createIndex("usage_day").on("usage").column("day").execute()

  await db.schema
    .createTable("daily_identities")
    .addColumn("day", text, (column) => column.notNull())
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    .addColumn("tag", bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint("daily_identities_key", ["day", "tenant_id", "tag"])
    .modifyEnd(tableEnd)
    .execute()

  await db.schema
    .createTable("audit")
    .addColumn("id", integer, identity)
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("actor", text, (column) => column.notNull())
    .addColumn("action", text, (column) => column.notNull())
    .addColumn("subject", text, (column) => column.notNull())
    .addColumn("detail", text, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute()
}
