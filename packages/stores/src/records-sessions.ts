import { sql } from "kysely"

import { type Change, note } from "./records-audit.ts"
import type { Store, Write } from "./records-engine.ts"
import { RecordsError } from "./records-error.ts"
import { countChange, endSessions } from "./records-people.ts"
import type { Tenant } from "./accounts.ts"

/** Where somebody is signed in. The store knows a hash of its token. */
export interface Session {
  id: string
  personId: string
  /** The tenant the person acts in. */
  tenantId: number | null
  /** How the person signed in. */
  method: string
  signedInAt: number
  /** When it was last used, within a minute or so. */
  seenAt: number
  expiresAt: number
}

export interface NewSession extends Omit<Session, "seenAt"> {
  /** SHA-256 of its token. */
  tokenHash: Uint8Array
}

/** A session with what the person may do in it. */
export interface SessionHolder {
  session: Session
  name: string
  /** What the person is for the whole service. */
  roles: string[]
  /** null where the person acts in no tenant, or is no member of it any more. */
  member: { role: string; tenant: Tenant } | null
}

/** A credential that is good once: its use is written in the transaction of the sign-in. */
export interface CredentialUse {
  id: string
  /** A counter that must be above the last one; null: the credential itself is used up. */
  counter: number | null
}

export interface SessionRecords {
  /**
   * Signs somebody in. `replaces` ends at the same moment: the session before a change of rights.
   * Throws `credential-used` where the credential was used before, and then nothing happened.
   */
  openSession(
    sign: Change & { session: NewSession; use: CredentialUse | null; replaces: string | null },
  ): Promise<void>
  /** The session in any state: the caller checks whether it is over. */
  sessionByToken(tokenHash: Uint8Array): Promise<SessionHolder | null>
  /** The one used last first. */
  sessionsOf(personId: string): Promise<Session[]>
  /** Notes when sessions were used; without waiting for the disk. */
  touchSessions(seen: readonly { id: string; at: number }[]): Promise<void>
  /** Throws `not-found` for a session that is not this person's. */
  endSession(of: Change & { personId: string; id: string }): Promise<void>
  /** All of a person but one; returns how many. */
  endSessions(of: Change & { personId: string; except: string | null }): Promise<number>
  /** Deletes those that ended, or were not used since; returns how many. */
  forgetSessions(of: { endedBefore: number; unusedSince: number }): Promise<number>
}

/** Sessions over either engine. */
export function sqlSessions({ read, write, writeUnsynced }: Store): SessionRecords {
  return {
    openSession: ({ session, use, replaces, ...by }) =>
      write(async (db) => {
        if (use !== null) await useCredential(db, use, by.at)
        if (replaces !== null) {
          await countChange(db)
          await db.deleteFrom("sessions").where("id", "=", replaces).execute()
        }
        await addSession(db, session)
        const { method, tenantId } = session
        const action = replaces === null ? "session.open" : "session.change"
        await note(db, { ...by, tenantId }, action, `person:${session.personId}`, {
          method,
          tenantId,
        })
      }),

    sessionByToken: (tokenHash) =>
      read(async (db) => {
        const row = await db
          .selectFrom("sessions")
          .innerJoin("people", "people.id", "sessions.person_id")
          .leftJoin("memberships", (join) =>
            join
              .onRef("memberships.person_id", "=", "sessions.person_id")
              .onRef("memberships.tenant_id", "=", "sessions.tenant_id"),
          )
          .leftJoin("tenants", "tenants.id", "memberships.tenant_id")
          .selectAll("sessions")
          .select([
            "people.name as person_name",
            "people.roles",
            "memberships.role",
            "tenants.id as member_of",
            "tenants.name as tenant_name",
            "tenants.plan",
            "tenants.settings",
            "tenants.created_at as tenant_created_at",
          ])
          .where("token_hash", "=", tokenHash)
          .executeTakeFirst()
        if (row === undefined) return null
        return {
          session: sessionOf(row),
          name: row.person_name,
          roles: JSON.parse(row.roles) as string[],
          member: memberOf(row),
        }
      }),

    sessionsOf: (personId) =>
      read(async (db) => {
        const rows = await db
          .selectFrom("sessions")
          .selectAll()
          .where("person_id", "=", personId)
          .orderBy("seen_at", "desc")
          .orderBy("id")
          .execute()
        return rows.map(sessionOf)
      }),

    async touchSessions(seen) {
      if (seen.length === 0) return
      await writeUnsynced(async (db) => {
        for (const { id, at } of seen) {
          await db
            .updateTable("sessions")
            .set({ seen_at: at })
            .where("id", "=", id)
            .where("seen_at", "<", at)
            .execute()
        }
      })
    },

    endSession: ({ personId, id, ...by }) =>
      write(async (db) => {
        await countChange(db)
        const { numDeletedRows } = await db
          .deleteFrom("sessions")
          .where("id", "=", id)
          .where("person_id", "=", personId)
          .executeTakeFirst()
        if (numDeletedRows === 0n) throw new RecordsError("not-found", "There is no such session")
        await note(db, by, "session.end", `person:${personId}`, {})
      }),

    endSessions: ({ personId, except, ...by }) =>
      write(async (db) => {
        await countChange(db)
        const count = Number(await endSessions(db, personId, except))
        await note(db, by, "session.end-all", `person:${personId}`, { count })
        return count
      }),

    forgetSessions: ({ endedBefore, unusedSince }) =>
      write(async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom("sessions")
          .where((each) =>
            each.or([each("expires_at", "<=", endedBefore), each("seen_at", "<", unusedSince)]),
          )
          .executeTakeFirst()
        return Number(numDeletedRows)
      }),
  }
}

export async function addSession(db: Write, session: NewSession): Promise<void> {
  const { id, tokenHash, personId, tenantId, method, signedInAt, expiresAt } = session
  await db
    .insertInto("sessions")
    .values({
      id,
      token_hash: tokenHash,
      person_id: personId,
      tenant_id: tenantId,
      method,
      signed_in_at: signedInAt,
      seen_at: signedInAt,
      expires_at: expiresAt,
    })
    .execute()
}

async function useCredential(db: Write, { id, counter }: CredentialUse, at: number): Promise<void> {
  const query = db.updateTable("credentials").set({ used_at: at }).where("id", "=", id)
  const { numUpdatedRows } = await (
    counter === null
      ? query.where("used_at", "is", null)
      : query.set({ counter }).where(sql<boolean>`(counter < ${counter} or counter = 0)`)
  ).executeTakeFirst()
  if (numUpdatedRows === 0n)
    throw new RecordsError("credential-used", "The credential was used before")
}

interface SessionRow {
  id: string
  person_id: string
  tenant_id: number | null
  method: string
  signed_in_at: number
  seen_at: number
  expires_at: number
}

function sessionOf(row: SessionRow): Session {
  return {
    id: row.id,
    personId: row.person_id,
    tenantId: row.tenant_id,
    method: row.method,
    signedInAt: row.signed_in_at,
    seenAt: row.seen_at,
    expiresAt: row.expires_at,
  }
}

function memberOf(row: {
  role: string | null
  member_of: number | null
  tenant_name: string | null
  plan: string | null
  settings: string | null
  tenant_created_at: number | null
}): SessionHolder["member"] {
  const { role, member_of: id, tenant_name: name, plan, settings, tenant_created_at } = row
  if (role === null || id === null || name === null) return null
  if (plan === null || settings === null || tenant_created_at === null) return null
  const parsed = JSON.parse(settings) as Tenant["settings"]
  return { role, tenant: { id, name, plan, createdAt: tenant_created_at, settings: parsed } }
}
