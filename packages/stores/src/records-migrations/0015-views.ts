import { sql, type Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/**
 * Makes one table of saved views, whatever list they are of; until now there were those of reviews.
 */
export async function views(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, tableEnd } = columns
  await db.schema
    .createTable("saved_views")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    .addColumn("list", text, (column) => column.notNull())
    // Who alone sees it; empty: everybody of the tenant.
    .addColumn("owner", text, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("filter", text, (column) => column.notNull())
    .addColumn("saved_at", integer, (column) => column.notNull())
    .addUniqueConstraint("saved_views_name", ["tenant_id", "list", "owner", "name"])
    .modifyEnd(tableEnd)
    .execute()
  // A tenant has at most a hundred of them.
  await sql`
    insert into saved_views (id, tenant_id, list, owner, name, filter, saved_at)
    select id, tenant_id, 'reviews', owner, name, filter, saved_at from review_views`.execute(db)
  await db.schema.dropTable("review_views").execute()
}
