import type { Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** Domains that tenants watch whole, and what removing a batch has to undo. */
export async function domainWatches(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, tableEnd } = columns
  await db.schema
    .createTable("domain_watches")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    // By its name: whoever holds it is asked for the proof again.
    .addColumn("domain", text, (column) => column.notNull())
    // Of the domain that addresses there are kept by.
    .addColumn("domain_key", bytes, (column) => column.notNull())
    .addColumn("ref", text, (column) => column.notNull())
    .addColumn("added_at", integer, (column) => column.notNull())
    // When the proof was last found, and how; null: never.
    .addColumn("proved_at", integer)
    .addColumn("proof", text)
    .addColumn("check_at", integer, (column) => column.notNull())
    .addUniqueConstraint("domain_watches_once", ["tenant_id", "domain"])
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createIndex("domain_watches_due")
    .on("domain_watches")
    .columns(["check_at"])
    .execute()

  // How many items a batch named, and when its removal was followed.
  for (const column of ["matched", "removed_at"])
    await db.schema.alterTable("watch_batches").addColumn(column, integer).execute()
}
