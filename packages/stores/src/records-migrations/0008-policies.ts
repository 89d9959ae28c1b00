import { sql, type Kysely, type QueryExecutorProvider } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** Every version of what was set for a tenant; the newest one is also in the tenant's row. */
export async function policies(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, tableEnd } = columns
  await db.schema
    .createTable("policies")
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    // From 1 up, by itself for each tenant.
    .addColumn("version", integer, (column) => column.notNull())
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("actor", text, (column) => column.notNull())
    .addColumn("settings", text, (column) => column.notNull())
    // The earlier version that this one brought back.
    .addColumn("reverted_to", integer)
    .addPrimaryKeyConstraint("policies_key", ["tenant_id", "version"])
    .modifyEnd(tableEnd)
    .execute()
  await firstPolicies(db)
}

/**
 * Makes the settings of tenants without a version their version 1, by whoever set them last as far
 * as the audit trail knows, or as of the moment when the tenant was made.
 */
export async function firstPolicies(db: QueryExecutorProvider): Promise<void> {
  const lastSet = (column: string) => sql`(
    select ${sql.ref(`audit.${column}`)} from audit
    where audit.action = 'tenant.set-settings'
      and audit.subject = 'tenant:' || cast(tenants.id as text)
    order by audit.id desc limit 1)`
  await sql`
    insert into policies (tenant_id, version, at, actor, settings, reverted_to)
    select tenants.id, 1, coalesce(${lastSet("at")}, tenants.created_at),
      coalesce(${lastSet("actor")}, 'assay'), tenants.settings, null
    from tenants
    where not exists (select 1 from policies where policies.tenant_id = tenants.id)`.execute(db)
}
