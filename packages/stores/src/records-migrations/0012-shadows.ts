import type { Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** Every version of the policy that is computed beside the one that acts; the newest counts. */
export async function shadows(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, tableEnd } = columns
  await db.schema
    .createTable("shadows")
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    // From 1 up, by itself for each tenant.
    .addColumn("version", integer, (column) => column.notNull())
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("actor", text, (column) => column.notNull())
    // null: from here on there is none.
    .addColumn("settings", text)
    .addPrimaryKeyConstraint("shadows_key", ["tenant_id", "version"])
    .modifyEnd(tableEnd)
    .execute()
}
