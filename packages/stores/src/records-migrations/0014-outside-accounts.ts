import type { Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** People who sign in at a provider of their organisation's, and by which account there. */
export async function outsideAccounts(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, tableEnd } = columns
  await db.schema
    .createTable("outside_accounts")
    // A keyed hash of the issuer and of its name for the account.
    .addColumn("account_hash", bytes, (column) => column.primaryKey().notNull())
    .addColumn("person_id", text, (column) => column.notNull().unique().references("people.id"))
    .addColumn("created_at", integer, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute()
}
