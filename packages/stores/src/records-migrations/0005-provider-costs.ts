import type { Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** What asking operators and vendors about phone numbers cost, by day. */
export async function providerCosts(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, tableEnd } = columns
  await db.schema
    .createTable("provider_costs")
    .addColumn("day", text, (column) => column.notNull())
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    .addColumn("provider", text, (column) => column.notNull())
    .addColumn("calls", integer, (column) => column.notNull())
    .addColumn("micros", integer, (column) => column.notNull())
    // The day stands first: both caps are of a day, and old days are deleted.
    .addPrimaryKeyConstraint("provider_costs_key", ["day", "tenant_id", "provider"])
    .modifyEnd(tableEnd)
    .execute()
}
