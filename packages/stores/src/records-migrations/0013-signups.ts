import type { Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** Who asked for a tenant of the free plan, and to which terms they agreed. */
export async function signups(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, tableEnd } = columns
  await db.schema
    .createTable("signups")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("organisation", text, (column) => column.notNull())
    // A keyed hash, to find it by; and the address itself, sealed under a subkey.
    .addColumn("email_hash", bytes, (column) => column.notNull())
    .addColumn("email_sealed", bytes, (column) => column.notNull())
    .addColumn("purposes", text, (column) => column.notNull())
    .addColumn("terms", text, (column) => column.notNull())
    // `waiting`, `allowed` while its token is out, `done`, `refused`.
    .addColumn("state", text, (column) => column.notNull())
    .addColumn("token_hash", bytes, (column) => column.unique())
    .addColumn("expires_at", integer)
    .addColumn("done_at", integer)
    .addColumn("tenant_id", integer, (column) => column.references("tenants.id"))
    .modifyEnd(tableEnd)
    .execute()
  await db.schema.createIndex("signups_state").on("signups").columns(["state", "at"]).execute()
  await db.schema.createIndex("signups_email").on("signups").column("email_hash").execute()
}
