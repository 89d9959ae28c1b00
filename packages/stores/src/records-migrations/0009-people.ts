import { sql, type Kysely } from "kysely"

import type { ColumnTypes } from "./column-types.ts"

/**
 * People who sign in: who they are, where they belong, by what they are known, how they were
 * invited and where they are signed in.
 */
export async function people(db: Kysely<unknown>, columns: ColumnTypes): Promise<void> {
  const { integer, text, bytes, tableEnd } = columns

  // Workers learn by one read that something they remember of a session is old.
  await sql`insert into meta (name, value) values ('people_version', '0')`.execute(db)

  await db.schema
    .createTable("people")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("name", text, (column) => column.notNull())
    // A keyed hash, to find the person by; and the address itself, sealed under a subkey.
    .addColumn("email_hash", bytes, (column) => column.notNull().unique())
    .addColumn("email_sealed", bytes, (column) => column.notNull())
    // What the person is for the whole service, as a list.
    .addColumn("roles", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute()

  await db.schema
    .createTable("memberships")
    .addColumn("person_id", text, (column) => column.notNull().references("people.id"))
    .addColumn("tenant_id", integer, (column) => column.notNull().references("tenants.id"))
    .addColumn("role", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("memberships_key", ["person_id", "tenant_id"])
    .modifyEnd(tableEnd)
    .execute()
  await db.schema.createIndex("memberships_tenant").on("memberships").column("tenant_id").execute()

  await db.schema
    .createTable("credentials")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("person_id", text, (column) => column.notNull().references("people.id"))
    .addColumn("kind", text, (column) => column.notNull())
    // By kind: the public key of a passkey, the hash of a password or of a recovery code, the
    // sealed secret of an authenticator app.
    .addColumn("secret", bytes, (column) => column.notNull())
    // The last signature counter of a passkey; the last step whose code was used.
    .addColumn("counter", integer, (column) => column.notNull())
    .addColumn("label", text, (column) => column.notNull())
    .addColumn("transports", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("used_at", integer)
    .modifyEnd(tableEnd)
    .execute()
  await db.schema.createIndex("credentials_person").on("credentials").column("person_id").execute()

  await db.schema
    .createTable("invitations")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("token_hash", bytes, (column) => column.notNull().unique())
    // null: to the service itself.
    .addColumn("tenant_id", integer, (column) => column.references("tenants.id"))
    // null for a link by which somebody known gets back in.
    .addColumn("role", text)
    .addColumn("person_id", text, (column) => column.references("people.id"))
    .addColumn("actor", text, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("expires_at", integer, (column) => column.notNull())
    .addColumn("used_at", integer)
    .modifyEnd(tableEnd)
    .execute()

  await db.schema
    .createTable("sessions")
    .addColumn("id", text, (column) => column.primaryKey().notNull())
    .addColumn("token_hash", bytes, (column) => column.notNull().unique())
    .addColumn("person_id", text, (column) => column.notNull().references("people.id"))
    .addColumn("tenant_id", integer, (column) => column.references("tenants.id"))
    .addColumn("method", text, (column) => column.notNull())
    .addColumn("signed_in_at", integer, (column) => column.notNull())
    .addColumn("seen_at", integer, (column) => column.notNull())
    .addColumn("expires_at", integer, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute()
  await db.schema.createIndex("sessions_person").on("sessions").column("person_id").execute()
  await db.schema.createIndex("sessions_expires").on("sessions").column("expires_at").execute()
}
