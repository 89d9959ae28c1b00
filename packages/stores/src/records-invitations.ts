import type { Selectable } from "kysely"

import { type Change, note } from "./records-audit.ts"
import type { Store, Write } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import {
  addCredentials,
  addMember,
  addPerson,
  countChange,
  endSessions,
  type NewCredential,
  type NewPerson,
} from "./records-people.ts"
import type { Schema } from "./records-schema.ts"
import { addSession, type NewSession } from "./records-sessions.ts"

/** A link that is good once. The store knows a hash of its token. */
export interface Invitation {
  id: string
  /** null: to the service itself. */
  tenantId: number | null
  tenantName: string | null
  /** null: `personId` gets back in by it, and nothing else changes. */
  role: string | null
  personId: string | null
  /** Who invited. */
  actor: string
  createdAt: number
  expiresAt: number
  usedAt: number | null
}

export interface NewInvitation extends Change {
  id: string
  /** SHA-256 of its token. */
  tokenHash: Uint8Array
  tenantId: number | null
  role: string | null
  personId: string | null
  expiresAt: number
}

/** Who takes an invitation up: somebody new, or somebody known by their id. */
export interface Joining {
  tokenHash: Uint8Array
  person: NewPerson | { id: string }
  /** Of somebody new or of somebody who gets back in; these replace all they had. */
  credentials: readonly NewCredential[]
  session: Omit<NewSession, "personId" | "tenantId">
  /** The session of somebody who was signed in; it ends. */
  replaces: string | null
  at: number
  requestId?: string
}

export interface InvitationRecords {
  /** Of one kind: those to a tenant, or to the service; unused and not over, the oldest first. */
  invitations(of: { tenantId: number | null; at: number }): Promise<Invitation[]>
  /** In any state. */
  invitationByToken(tokenHash: Uint8Array): Promise<Invitation | null>
  invite(invitation: NewInvitation): Promise<void>
  /** Throws `not-found` where there is no such invitation, or it was used. */
  endInvitation(of: Change & { id: string; tenantId: number | null }): Promise<void>
  /** Ends those that nobody used and that this actor made, and returns how many. */
  endInvitationsBy(actor: string): Promise<number>
  /**
   * Uses the invitation up, makes the person where it is somebody new, gives the role and signs in,
   * all or nothing. Throws `invitation-over`, or `address-taken` for a known address.
   */
  join(joining: Joining): Promise<{ personId: string; tenantId: number | null }>
  /** Deletes those used or over before; returns how many. */
  forgetInvitations(before: number): Promise<number>
}

/** Invitations over either engine. */
export function sqlInvitations({ read, write }: Store): InvitationRecords {
  return {
    invitations: ({ tenantId, at }) =>
      read(async (db) => {
        const query = db
          .selectFrom("invitations")
          .leftJoin("tenants", "tenants.id", "invitations.tenant_id")
          .selectAll("invitations")
          .select("tenants.name as tenant_name")
          .where("used_at", "is", null)
          .where("expires_at", ">", at)
          .where("role", "is not", null)
          .orderBy("invitations.created_at")
          .orderBy("invitations.id")
        const rows = await (
          tenantId === null
            ? query.where("tenant_id", "is", null)
            : query.where("tenant_id", "=", tenantId)
        ).execute()
        return rows.map(invitationOf)
      }),

    invitationByToken: (tokenHash) =>
      read(async (db) => {
        const row = await db
          .selectFrom("invitations")
          .leftJoin("tenants", "tenants.id", "invitations.tenant_id")
          .selectAll("invitations")
          .select("tenants.name as tenant_name")
          .where("token_hash", "=", tokenHash)
          .executeTakeFirst()
        return row === undefined ? null : invitationOf(row)
      }),

    invite: (invitation) => write((db) => addInvitation(db, invitation)),

    endInvitation: ({ id, tenantId, ...by }) =>
      write(async (db) => {
        const query = db.deleteFrom("invitations").where("id", "=", id).where("used_at", "is", null)
        const { numDeletedRows } = await (
          tenantId === null
            ? query.where("tenant_id", "is", null)
            : query.where("tenant_id", "=", tenantId)
        ).executeTakeFirst()
        if (numDeletedRows === 0n)
          throw new RecordsError("not-found", "There is no such invitation")
        await note(db, { ...by, tenantId }, "invitation.end", `invitation:${id}`, {})
      }),

    endInvitationsBy: (actor) =>
      write(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom("invitations")
          .where("actor", "=", actor)
          .where("used_at", "is", null)
          .executeTakeFirst()
        return Number(numDeletedRows)
      }),

    join: (joining) =>
      write(async (db) => {
        const { tokenHash, person, credentials, at } = joining
        await countChange(db)
        const invitation = await takeInvitation(db, tokenHash, at)
        const { tenant_id: tenantId, role } = invitation
        const personId = invitation.person_id ?? person.id
        const by = { at, actor: `person:${personId}`, requestId: joining.requestId ?? null }
        const isNew = "emailHash" in person
        if (invitation.person_id !== null) {
          await db.deleteFrom("credentials").where("person_id", "=", personId).execute()
          await endSessions(db, personId, null)
        } else if (isNew) {
          await addPerson(db, person, [], at)
        }
        await addCredentials(db, personId, credentials, at)
        if (role !== null) await giveRole(db, { personId, tenantId, role, at })
        if (joining.replaces !== null)
          await db.deleteFrom("sessions").where("id", "=", joining.replaces).execute()
        const actsIn = invitation.person_id === null ? tenantId : await firstTenant(db, personId)
        await addSession(db, { ...joining.session, personId, tenantId: actsIn })
        const detail = { invitation: invitation.id, tenantId, role, isNew }
        await note(db, { ...by, tenantId }, "invitation.accept", `person:${personId}`, detail)
        return { personId, tenantId }
      }),

    forgetInvitations: (before) =>
      write(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom("invitations")
          .where((each) => each.or([each("expires_at", "<", before), each("used_at", "<", before)]))
          .executeTakeFirst()
        return Number(numDeletedRows)
      }),
  }
}

/** Adds an invitation, in the transaction of what it belongs to. */
export async function addInvitation(
  db: Write,
  { id, tokenHash, tenantId, role, personId, expiresAt, ...by }: NewInvitation,
): Promise<void> {
  await db
    .insertInto("invitations")
    .values({
      id,
      token_hash: tokenHash,
      tenant_id: tenantId,
      role,
      person_id: personId,
      actor: by.actor,
      created_at: by.at,
      expires_at: expiresAt,
    })
    .execute()
  const detail = { tenantId, role, personId, expiresAt }
  await note(db, { ...by, tenantId }, "invitation.create", `invitation:${id}`, detail)
}

/** Marks the invitation as used, which only one transaction can. */
async function takeInvitation(
  db: Write,
  tokenHash: Uint8Array,
  at: number,
): Promise<Selectable<Schema["invitations"]>> {
  const row = await db
    .updateTable("invitations")
    .set({ used_at: at })
    .where("token_hash", "=", tokenHash)
    .where("used_at", "is", null)
    .where("expires_at", ">", at)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined)
    throw new RecordsError("invitation-over", "The invitation was used, has ended, or never was")
  return row
}

async function firstTenant(db: Write, personId: string): Promise<number | null> {
  const row = await db
    .selectFrom("memberships")
    .select("tenant_id")
    .where("person_id", "=", personId)
    .orderBy("created_at")
    .orderBy("tenant_id")
    .limit(1)
    .executeTakeFirst()
  return row?.tenant_id ?? null
}

async function giveRole(
  db: Write,
  of: { personId: string; tenantId: number | null; role: string; at: number },
): Promise<void> {
  const { personId, tenantId, role, at } = of
  if (tenantId !== null) {
    await addMember(db, { personId, tenantId, role, at })
    return
  }
  const { roles } = await db
    .selectFrom("people")
    .select("roles")
    .where("id", "=", personId)
    .executeTakeFirstOrThrow()
  const all = new Set([...(JSON.parse(roles) as string[]), role])
  await db
    .updateTable("people")
    .set({ roles: JSON.stringify([...all]) })
    .where("id", "=", personId)
    .execute()
}

function invitationOf(
  row: Selectable<Schema["invitations"]> & { tenant_name: string | null },
): Invitation {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    tenantName: row.tenant_name,
    role: row.role,
    personId: row.person_id,
    actor: row.actor,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
  }
}
