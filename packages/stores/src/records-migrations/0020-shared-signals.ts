import type { Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/** Streams of OpenID Shared Signals, what each has taken, and the keys that sign. */
export async function sharedSignals(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, tableEnd } = columns
  await db.schema
    .createTable("ssf_streams")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    // JSON: one text or a list of them.
    .addColumn("audience", text, (column) => column.notNull())
    .addColumn("method", text, (column) => column.notNull())
    // Of push alone.
    .addColumn("url", text)
    .addColumn("authorization_sealed", bytes)
    .addColumn("description", text, (column) => column.notNull())
    .addColumn("dialect", text, (column) => column.notNull())
    .addColumn("subject_format", text, (column) => column.notNull())
    .addColumn("subject_issuer", text)
    // JSON: the types of events that were asked for, also those that are not known here.
    .addColumn("events", text, (column) => column.notNull())
    .addColumn("status", text, (column) => column.notNull())
    .addColumn("reason", text)
    .addColumn("status_at", integer, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("changed_at", integer, (column) => column.notNull())
    // All events up to this number are taken, or give nothing to take.
    .addColumn("seq", integer, (column) => column.notNull())
    .addColumn("verify_asked_at", integer)
    .addColumn("verify_taken_at", integer)
    .addColumn("taken_at", integer)
    .addColumn("fault_at", integer)
    .addColumn("fault", text)
    // Of push: failures since the last success, when it is tried next, and who sends at the moment.
    .addColumn("failures", integer, (column) => column.notNull())
    .addColumn("next_at", integer)
    .addColumn("locked_until", integer)
    .addColumn("claim", text)
    .modifyEnd(tableEnd)
    .execute()
  await db.schema
    .createIndex("ssf_streams_of_tenant")
    .on("ssf_streams")
    .column("tenant_id")
    .execute()

  await db.schema
    .createTable("ssf_notes")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("stream_id", text, (column) => column.notNull().references("ssf_streams.id"))
    .addColumn("kind", text, (column) => column.notNull())
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("data", text, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute()
  await db.schema.createIndex("ssf_notes_of_stream").on("ssf_notes").column("stream_id").execute()

  await db.schema
    .createTable("ssf_acks")
    .addColumn("stream_id", text, (column) => column.notNull().references("ssf_streams.id"))
    .addColumn("jti", text, (column) => column.notNull())
    .addColumn("seq", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("ssf_acks_key", ["stream_id", "jti"])
    .modifyEnd(tableEnd)
    .execute()

  await db.schema
    .createTable("ssf_left_out")
    .addColumn("stream_id", text, (column) => column.notNull().references("ssf_streams.id"))
    .addColumn("ref_hash", bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint("ssf_left_out_key", ["stream_id", "ref_hash"])
    .modifyEnd(tableEnd)
    .execute()

  await db.schema
    .createTable("ssf_keys")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("sealed", bytes, (column) => column.notNull())
    .addColumn("public_key", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("signs_from", integer, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute()
}
