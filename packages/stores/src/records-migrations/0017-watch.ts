import type { Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** Whom tenants watch, and what is needed to score them without knowing them. */
export async function watch(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, tableEnd } = columns
  await db.schema
    .createTable("watch_items")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    .addColumn("identity_key", bytes, (column) => column.notNull())
    .addColumn("identity_type", text, (column) => column.notNull())
    .addColumn("ref", text, (column) => column.notNull())
    // The identity itself, encrypted, where the tenant asked for it.
    .addColumn("sealed", bytes)
    // Which address of the mailbox it is.
    .addColumn("alias_tag", integer, (column) => column.notNull())
    // What a score takes from the address or the number, as JSON.
    .addColumn("kept", text, (column) => column.notNull())
    .addColumn("domain_key", bytes)
    .addColumn("added_at", integer, (column) => column.notNull())
    // What was last told of it, as JSON; null before it was first scored.
    .addColumn("told", text)
    .addColumn("rose_at", integer)
    .addColumn("due_at", integer, (column) => column.notNull())
    .addColumn("cause", text, (column) => column.notNull())
    // Grows whenever it is to be scored and whenever it was.
    .addColumn("revision", integer, (column) => column.notNull())
    .addUniqueConstraint("watch_items_once", ["tenant_id", "identity_key"])
    .modifyEnd(tableEnd)
    .execute()
  const index = (name: string, on: readonly string[]): Promise<void> =>
    db.schema
      .createIndex(name)
      .on("watch_items")
      .columns([...on])
      .execute()
  // Compared with segments, which are in the order of keys.
  await index("watch_items_of_identity", ["identity_key"])
  await index("watch_items_due", ["due_at"])
  await index("watch_items_of_tenant", ["tenant_id", "id"])
  await index("watch_items_by_ref", ["tenant_id", "ref"])
  await index("watch_items_of_domain", ["tenant_id", "domain_key"])

  await db.schema
    .createTable("watch_domains")
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    .addColumn("domain_key", bytes, (column) => column.notNull())
    // What values can be made of again, and what a score takes now, as JSON.
    .addColumn("kept", text, (column) => column.notNull())
    .addColumn("taken", text, (column) => column.notNull())
    // Of the lists and of the tenant's own domains that the values were made by.
    .addColumn("version", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("watch_domains_key", ["tenant_id", "domain_key"])
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createIndex("watch_domains_of_version")
    .on("watch_domains")
    .columns(["tenant_id", "version"])
    .execute()

  await db.schema
    .createTable("watch_batches")
    .addColumn("batch_id", integer, (column) => column.primaryKey().notNull())
    // Up to which key watched identities were looked for; null: none yet.
    .addColumn("through", bytes)
    .addColumn("done_at", integer)
    .modifyEnd(tableEnd)
    .execute()

  await db.schema
    .createTable("watch_tenants")
    .addColumn("tenant_id", integer, (column) =>
      column.primaryKey().notNull().references("tenants.id"),
    )
    // Names the plan and the policy that its items were last scored by.
    .addColumn("policy", text, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute()
}
