import { hash } from "node:crypto"
import { sql, type Selectable } from "kysely"

import { type Change, note } from "./records-audit.ts"
import type { Database, Store, Write } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import type { Schema } from "./records-schema.ts"

/** Somebody who signs in. The address is sealed: the store cannot read it. */
export interface Person {
  id: string
  name: string
  emailSealed: Uint8Array
  /** What the person is for the whole service. */
  roles: string[]
  createdAt: number
}

export interface NewPerson {
  id: string
  name: string
  /** A keyed hash, by which the person is found. */
  emailHash: Uint8Array
  emailSealed: Uint8Array
}

/** What a person is in a tenant. */
export interface Membership {
  tenantId: number
  tenantName: string
  role: string
  since: number
}

export type CredentialKind = "passkey" | "password" | "totp" | "recovery"

/** What a person is known by. */
export interface Credential {
  id: string
  kind: CredentialKind
  /**
   * The public key of a passkey, the hash of a password or of a recovery code, the sealed secret of
   * an authenticator app.
   */
  secret: Uint8Array
  /** The last signature counter of a passkey, or the last time step whose code was used. */
  counter: number
  label: string
  transports: string[]
  createdAt: number
  usedAt: number | null
}

export type NewCredential = Omit<Credential, "createdAt" | "usedAt">

/** All that is kept of a person. */
export interface PersonFile {
  person: Person
  memberships: Membership[]
  credentials: Credential[]
}

export interface Member {
  person: Person
  role: string
  since: number
}

export interface CredentialsChange extends Change {
  personId: string
  action: string
  /** All of these kinds, and these by their ids. */
  remove: { kinds?: readonly CredentialKind[]; ids?: readonly string[] }
  add: readonly NewCredential[]
  /** All other sessions of the person end. */
  keepSession: string | null
}

/** Role of a member: null takes the membership away. */
export interface MemberChange extends Change {
  tenantId: number
  personId: string
  role: string | null
}

export interface PeopleRecords {
  /** The oldest first. */
  people(): Promise<Person[]>
  /** Whether nobody is there yet, who could let others in. */
  hasPeople(): Promise<boolean>
  personById(id: string): Promise<PersonFile | null>
  personByEmail(emailHash: Uint8Array): Promise<PersonFile | null>
  /** By whom a passkey was made; null for one that is not known. */
  personByCredential(id: string): Promise<PersonFile | null>
  /** Who belongs to a tenant, the oldest member first. */
  members(tenantId: number): Promise<Member[]>
  /**
   * Ends all sessions of the person. Throws `last-owner` where the tenant would have no owner any
   * more, `not-found` where the person is no member of it.
   */
  setMember(change: MemberChange): Promise<void>
  /** The same for the whole service, whose last administrator stays one. */
  setServiceRoles(change: Change & { personId: string; roles: readonly string[] }): Promise<void>
  /** Throws `last-credential` where nothing would be left to sign in by. */
  changeCredentials(change: CredentialsChange): Promise<void>
  /** Grows with each change by which a session may end or have other rights. */
  peopleVersion(): Promise<number>
}

/** People over either engine. */
export function sqlPeople({ read, write }: Store): PeopleRecords {
  const file = (found: (db: Database) => Promise<PersonRow | undefined>) =>
    read(async (db) => {
      const row = await found(db)
      return row === undefined ? null : await fileOf(db, row)
    })
  return {
    people: () =>
      read(async (db) => {
        const rows = await db
          .selectFrom("people")
          .selectAll()
          .orderBy("created_at")
          .orderBy("id")
          .execute()
        return rows.map(personOf)
      }),

    hasPeople: () =>
      read(async (db) => {
        const row = await db.selectFrom("people").select("id").limit(1).executeTakeFirst()
        return row !== undefined
      }),

    personById: (id) =>
      file((db) => db.selectFrom("people").selectAll().where("id", "=", id).executeTakeFirst()),

    personByEmail: (emailHash) =>
      file((db) =>
        db.selectFrom("people").selectAll().where("email_hash", "=", emailHash).executeTakeFirst(),
      ),

    personByCredential: (id) =>
      file((db) =>
        db
          .selectFrom("people")
          .innerJoin("credentials", "credentials.person_id", "people.id")
          .selectAll("people")
          .where("credentials.id", "=", id)
          .executeTakeFirst(),
      ),

    members: (tenantId) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("memberships")
          .innerJoin("people", "people.id", "memberships.person_id")
          .selectAll("people")
          .select(["memberships.role", "memberships.created_at as since"])
          .where("tenant_id", "=", tenantId)
          .orderBy("memberships.created_at")
          .orderBy("people.id")
          .execute()
        return rows.map(({ role, since, ...row }) => ({ person: personOf(row), role, since }))
      }),

    setMember: ({ tenantId, personId, role, ...by }) =>
      write(async (db) => {
        await countChange(db)
        const found =
          role === null
            ? await db
                .deleteFrom("memberships")
                .where("person_id", "=", personId)
                .where("tenant_id", "=", tenantId)
                .returning("role")
                .executeTakeFirst()
            : await db
                .updateTable("memberships")
                .set({ role })
                .where("person_id", "=", personId)
                .where("tenant_id", "=", tenantId)
                .returning("role")
                .executeTakeFirst()
        if (found === undefined) throw notFound()
        await requireOwner(db, tenantId)
        await endSessions(db, personId, null)
        const action = role === null ? "member.remove" : "member.set-role"
        const detail = role === null ? { tenantId } : { tenantId, role }
        await note(db, { ...by, tenantId }, action, `person:${personId}`, detail)
      }),

    setServiceRoles: ({ personId, roles, ...by }) =>
      write(async (db) => {
        await countChange(db)
        const { numUpdatedRows } = await db
          .updateTable("people")
          .set({ roles: JSON.stringify(roles) })
          .where("id", "=", personId)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) throw notFound()
        await requireAdministrator(db)
        await endSessions(db, personId, null)
        await note(db, by, "person.set-roles", `person:${personId}`, { roles })
      }),

    changeCredentials: ({ personId, action, remove, add, keepSession, ...by }) =>
      write(async (db) => {
        await countChange(db)
        const { kinds = [], ids = [] } = remove
        const own = db.deleteFrom("credentials").where("person_id", "=", personId)
        if (kinds.length > 0) await own.where("kind", "in", kinds).execute()
        if (ids.length > 0) {
          const { numDeletedRows } = await own.where("id", "in", ids).executeTakeFirst()
          if (numDeletedRows < BigInt(ids.length)) throw notFound()
        }
        await addCredentials(db, personId, add, by.at)
        const left = await db
          .selectFrom("credentials")
          .select("id")
          .where("person_id", "=", personId)
          .where("kind", "in", ["password", "passkey"])
          .limit(1)
          .executeTakeFirst()
        if (left === undefined)
          throw new RecordsError("last-credential", "Nothing would be left to sign in by")
        await endSessions(db, personId, keepSession)
        await note(db, by, action, `person:${personId}`, {})
      }),

    peopleVersion: () =>
      read(async (db) => {
        const query = db.selectFrom("meta").select("value").where("name", "=", "people_version")
        return Number((await query.executeTakeFirstOrThrow()).value)
      }),
  }
}

/**
 * Begins a change after which a session may be over. It locks its row, so that such changes take
 * turns on PostgreSQL as they do on SQLite: two owners cannot both leave as the one before the
 * last.
 */
export async function countChange(db: Write): Promise<void> {
  await db
    .updateTable("meta")
    .set({ value: sql<string>`cast(cast(value as bigint) + 1 as text)` })
    .where("name", "=", "people_version")
    .execute()
}

interface NewMember {
  personId: string
  tenantId: number
  role: string
  at: number
}

/** Makes a person a member, or gives a member another role. */
export async function addMember(db: Write, member: NewMember): Promise<void> {
  await putMember(db, member)
  await requireOwner(db, member.tenantId)
}

/** The same of a tenant that may have no owner yet, or as one who sees to its last one. */
export async function putMember(
  db: Write,
  { personId, tenantId, role, at }: NewMember,
): Promise<void> {
  await db
    .insertInto("memberships")
    .values({ person_id: personId, tenant_id: tenantId, role, created_at: at })
    .onConflict((conflict) => conflict.columns(["person_id", "tenant_id"]).doUpdateSet({ role }))
    .execute()
  await addConsoleKey(db, tenantId, at)
}

/** What people of a tenant look up is counted under this key, which opens nothing. */
export function consoleKeyId(tenantId: number): string {
  return `console_${tenantId}`
}

async function addConsoleKey(db: Write, tenantId: number, at: number): Promise<void> {
  const id = consoleKeyId(tenantId)
  await db
    .insertInto("keys")
    .values({
      id,
      tenant_id: tenantId,
      // The hash of a text that has not the form of a key, so that no key is ever found by it.
      hash: Buffer.from(hash("sha256", id, "hex"), "hex"),
      hint: "people",
      label: "people who are signed in",
      scopes: "[]",
      created_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function addPerson(
  db: Write,
  { id, name, emailHash, emailSealed }: NewPerson,
  roles: readonly string[],
  at: number,
): Promise<void> {
  const row = await db
    .insertInto("people")
    .values({
      id,
      name,
      email_hash: emailHash,
      email_sealed: emailSealed,
      roles: JSON.stringify(roles),
      created_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst()
  if (row === undefined) throw new RecordsError("address-taken", "Somebody has this address")
}

export async function addCredentials(
  db: Write,
  personId: string,
  credentials: readonly NewCredential[],
  at: number,
): Promise<void> {
  if (credentials.length === 0) return
  await refuseOutside(db, personId)
  const added = await db
    .insertInto("credentials")
    .values(
      credentials.map(({ transports, ...rest }) => ({
        ...rest,
        person_id: personId,
        transports: JSON.stringify(transports),
        created_at: at,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .execute()
  if (added.length < credentials.length)
    throw new RecordsError("credential-used", "This passkey is somebody's already")
}

/**
 * Whoever signs in at a provider has nothing else to sign in by: who is put out there would still
 * get in here.
 */
async function refuseOutside(db: Write, personId: string): Promise<void> {
  const account = await db
    .selectFrom("outside_accounts")
    .select("person_id")
    .where("person_id", "=", personId)
    .executeTakeFirst()
  if (account === undefined) return
  throw new RecordsError("outside-account", "The person signs in at a provider")
}

export async function endSessions(
  db: Write,
  personId: string,
  except: string | null,
): Promise<bigint> {
  const query = db.deleteFrom("sessions").where("person_id", "=", personId)
  const { numDeletedRows } = await (
    except === null ? query : query.where("id", "!=", except)
  ).executeTakeFirst()
  return numDeletedRows
}

/** Throws where a tenant has members and none of them is its owner. */
async function requireOwner(db: Write, tenantId: number): Promise<void> {
  if (await hasOtherOwner(db, tenantId, null)) return
  throw new RecordsError("last-owner", "The tenant would have no owner")
}

/** Whether a tenant has an owner besides this person. */
export async function hasOtherOwner(
  db: Write,
  tenantId: number,
  personId: string | null,
): Promise<boolean> {
  const query = db
    .selectFrom("memberships")
    .select("person_id")
    .where("tenant_id", "=", tenantId)
    .where("role", "=", "owner")
    .limit(1)
  const owner = await (
    personId === null ? query : query.where("person_id", "!=", personId)
  ).executeTakeFirst()
  return owner !== undefined
}

async function requireAdministrator(db: Write): Promise<void> {
  if (await hasOtherAdministrator(db, null)) return
  throw new RecordsError("last-owner", "The service would have no administrator")
}

export async function hasOtherAdministrator(db: Write, personId: string | null): Promise<boolean> {
  const rows = await db.selectFrom("people").select(["id", "roles"]).execute()
  return rows.some(
    ({ id, roles }) => id !== personId && (JSON.parse(roles) as string[]).includes("administrator"),
  )
}

type PersonRow = Selectable<Schema["people"]>

export async function fileOf(db: Database, row: PersonRow): Promise<PersonFile> {
  const memberships = await db
    .selectFrom("memberships")
    .innerJoin("tenants", "tenants.id", "memberships.tenant_id")
    .select(["tenant_id", "tenants.name", "role", "memberships.created_at"])
    .where("person_id", "=", row.id)
    .orderBy("memberships.created_at")
    .orderBy("tenant_id")
    .execute()
  const credentials = await db
    .selectFrom("credentials")
    .selectAll()
    .where("person_id", "=", row.id)
    .orderBy("created_at")
    .orderBy("id")
    .execute()
  return {
    person: personOf(row),
    memberships: memberships.map(({ tenant_id, name, role, created_at }) => ({
      tenantId: tenant_id,
      tenantName: name,
      role,
      since: created_at,
    })),
    credentials: credentials.map(credentialOf),
  }
}

function personOf({ id, name, email_sealed, roles, created_at }: PersonRow): Person {
  return {
    id,
    name,
    emailSealed: email_sealed,
    roles: JSON.parse(roles) as string[],
    createdAt: created_at,
  }
}

function credentialOf(row: Selectable<Schema["credentials"]>): Credential {
  const { id, kind, secret, counter, label, transports, created_at, used_at } = row
  return {
    id,
    kind: kind as CredentialKind,
    secret,
    counter,
    label,
    transports: JSON.parse(transports) as string[],
    createdAt: created_at,
    usedAt: used_at,
  }
}

function notFound(): RecordsError {
  return new RecordsError("not-found", "There is no such person here")
}
