import type { Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** Identities whose subjects had them erased: later imports and rebuilds must leave them out. */
export async function subjects(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, bytes, tableEnd } = columns
  await db.schema
    .createTable("tombstones")
    .addColumn("identity_key", bytes, (column) => column.primaryKey().notNull())
    .addColumn("erased_at", integer, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute()
  // An erasure looks up an identity across all tenants.
  await db.schema
    .createIndex("evidence_of_identity")
    .on("evidence")
    .column("identity_key")
    .execute()
}
