import type { Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** The services that share these records, and which of them does what only one may do at a time. */
export async function nodes(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, tableEnd } = columns
  await db.schema
    .createTable("nodes")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("host", text, (column) => column.notNull())
    .addColumn("version", text, (column) => column.notNull())
    .addColumn("index_format", integer, (column) => column.notNull())
    // JSON: what it serves, and where.
    .addColumn("serves", text, (column) => column.notNull())
    .addColumn("started_at", integer, (column) => column.notNull())
    .addColumn("seen_at", integer, (column) => column.notNull())
    // By the clock of the database minus its own, in milliseconds.
    .addColumn("clock_off", integer, (column) => column.notNull())
    // All that it decided before this moment is in the store.
    .addColumn("folded_at", integer, (column) => column.notNull())
    // It was stopped, with nothing of it left in its journal.
    .addColumn("left_at", integer)
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createTable("leases")
    .addColumn("name", text, (column) => column.primaryKey().notNull())
    .addColumn("holder", text)
    // Grows with each holder: whoever has an older number lost the lease.
    .addColumn("fence", integer, (column) => column.notNull())
    .addColumn("taken_at", integer, (column) => column.notNull())
    .addColumn("held_until", integer, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute()
}
