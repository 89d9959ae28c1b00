import type { Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** Up to where each sink has events, and which process sends them to it. */
export async function sinks(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, tableEnd } = columns
  await db.schema
    .createTable("sinks")
    .addColumn("name", text, (column) => column.primaryKey().notNull())
    .addColumn("seq", integer, (column) => column.notNull())
    .addColumn("moved_at", integer, (column) => column.notNull())
    .addColumn("holder", text)
    .addColumn("held_until", integer, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute()
}
