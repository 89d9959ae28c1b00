import { sql, type Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/**
 * Gives tables the names of what they hold: reports of tenants are feedback, and what tenants sent
 * and carriers notified us of is evidence with an owner. Rows are copied inside the engine, a span
 * of keys at a time, so that neither side holds more than a span; in the transaction of all
 * migrations, so that a process that dies leaves the old tables.
 */
export async function evidence(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, tableEnd } = columns

  // Indices come before the rows: SQLite makes an index of a full table in memory.
  await db.schema
    .createTable("feedback")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    .addColumn("key_id", text, (column) => column.notNull().references("keys.id"))
    .addColumn("identity_key", bytes, (column) => column.notNull())
    .addColumn("identity_type", text, (column) => column.notNull())
    .addColumn("alias_tag", integer, (column) => column.notNull())
    .addColumn("outcome", text, (column) => column.notNull())
    .addColumn("occurred_at", integer, (column) => column.notNull())
    .addColumn("received_at", integer, (column) => column.notNull())
    // A decimal number as text: neither engine's own types keep every number of the other.
    .addColumn("loss", text)
    .addColumn("reference", text)
    .addColumn("expires_at", integer)
    .addColumn("undone_at", integer)
    // From when on the index no longer says what the row asks for: at once for a row just written
    // or undone, at its end for one that expires, null for one that has nothing more to change.
    .addColumn("due_at", integer)
    .addColumn("claim", bytes)
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createIndex("feedback_identity")
    .on("feedback")
    .columns(["tenant_id", "identity_key"])
    .execute()
  await db.schema.createIndex("feedback_due").on("feedback").column("due_at").execute()
  // An erasure looks up an identity across all tenants.
  await db.schema
    .createIndex("feedback_of_identity")
    .on("feedback")
    .column("identity_key")
    .execute()
  await eachSpan(db, "evidence", "id", (span) =>
    sql`
      insert into feedback (id, tenant_id, key_id, identity_key, identity_type, alias_tag, outcome,
        occurred_at, received_at, loss, reference, expires_at, undone_at, due_at, claim)
      select id, tenant_id, key_id, identity_key, subject, alias_tag, outcome,
        occurred_at, received_at, loss, reference, expires_at, undone_at, due_at, claim
      from evidence where ${span}`.execute(db),
  )
  await db.schema.dropTable("evidence").execute()

  await db.schema
    .createTable("evidence")
    .addColumn("identity_key", bytes, (column) => column.notNull())
    // A tenant's id, or 0 for what all tenants share: no column of a primary key may be null.
    .addColumn("owner", integer, (column) => column.notNull())
    .addColumn("source", text, (column) => column.notNull())
    // Entry v1, which has one spelling: equal content is one row. The identity stands first in the
    // key, since an erasure looks up an identity across all owners.
    .addColumn("entry", bytes, (column) => column.notNull())
    // A keyed hash of a notification's own id, to recognise one that is sent again.
    .addColumn("event", bytes)
    .addColumn("key_id", text, (column) => column.references("keys.id"))
    .addColumn("received_at", integer, (column) => column.notNull())
    // Since when the index should have it and may not; null once it has.
    .addColumn("due_at", integer)
    .addPrimaryKeyConstraint("evidence_content", ["identity_key", "owner", "source", "entry"])
    .addUniqueConstraint("evidence_event", ["owner", "source", "event"])
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createIndex("evidence_due")
    .on("evidence")
    .columns(["owner", "identity_key"])
    .where(sql.ref("due_at"), "is not", null)
    .execute()
  // A process that died between storing and applying may have left rows of an erased subject.
  const heldIn = (table: string) => sql`not exists (
    select 1 from tombstones where tombstones.identity_key = ${sql.ref(`${table}.identity_key`)})`
  await eachSpan(db, "observations", "identity_key", (span) =>
    sql`
      insert into evidence
        (identity_key, owner, source, entry, event, key_id, received_at, due_at)
      select identity_key, tenant_id, source, entry, null, key_id, received_at, due_at
      from observations where ${span} and ${heldIn("observations")}`.execute(db),
  )
  await eachSpan(db, "shared_observations", "identity_key", (span) =>
    sql`
      insert into evidence
        (identity_key, owner, source, entry, event, key_id, received_at, due_at)
      select identity_key, 0, source, entry, event, null, received_at, due_at
      from shared_observations where ${span} and ${heldIn("shared_observations")}`.execute(db),
  )
  await db.schema.dropTable("observations").execute()
  await db.schema.dropTable("shared_observations").execute()
}

const SPAN_ROWS = 10_000

/** Calls `work` with conditions that share out the rows of a table by a column, in its order. */
async function eachSpan(
  db: Kysely<unknown>,
  table: string,
  column: string,
  work: (span: ReturnType<typeof sql>) => Promise<unknown>,
): Promise<void> {
  const key = sql.ref(column)
  for (let after: unknown = null; ;) {
    const behind = after === null ? sql`true` : sql`${key} > ${after}`
    const { rows } = await sql<{ key: unknown }>`
      select ${key} as key from ${sql.table(table)} where ${behind}
      order by ${key} limit 1 offset ${SPAN_ROWS - 1}`.execute(db)
    const last = rows[0]?.key
    if (last === undefined) {
      await work(behind)
      return
    }
    await work(sql`${behind} and ${key} <= ${last}`)
    after = last
  }
}
