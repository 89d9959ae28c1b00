import { type Change, note } from "./records-audit.ts"
import type { Database, Store, Write } from "./records-engine.ts"
import {
  addPerson,
  countChange,
  endSessions,
  fileOf,
  hasOtherAdministrator,
  hasOtherOwner,
  type NewPerson,
  type PersonFile,
  putMember,
} from "./records-people.ts"
import { addSession, type NewSession } from "./records-sessions.ts"

/** All that somebody is, as decided elsewhere. */
export interface DecidedRoles {
  /** For the whole service. */
  service: readonly string[]
  members: readonly { tenantId: number; role: string }[]
}

/** Somebody whom a provider outside knows. */
export interface OutsideSignIn extends Change {
  /**
   * A keyed hash of the issuer and of its name for the account: the person is found by it alone.
   */
  accountHash: Uint8Array
  /** The id is of somebody new; name and address replace those that are known. */
  person: NewPerson
  roles: DecidedRoles
  session: Omit<NewSession, "personId" | "tenantId">
}

/** Who is signed in, and what was decided otherwise but cannot be taken from them. */
export interface OutsideSignedIn {
  personId: string
  tenantId: number | null
  kept: KeptRole[]
}

export interface KeptRole {
  /** null: for the service. */
  tenantId: number | null
  role: string
}

export interface OutsideRecords {
  personByOutsideAccount(accountHash: Uint8Array): Promise<PersonFile | null>
  /**
   * Gives the person exactly these roles, whom it makes where the account is new, and signs in, all
   * or nothing. Other sessions end where rights changed. The last owner of a tenant and the last
   * administrator keep that role. Without any role nobody is made or signed in, and whoever is
   * known loses what they had: null.
   */
  signInFromOutside(of: OutsideSignIn): Promise<OutsideSignedIn | null>
}

/** Accounts at outside providers, over either engine. */
export function sqlOutside({ read, write }: Store): OutsideRecords {
  return {
    personByOutsideAccount: (accountHash) => read((db) => personOf(db, accountHash)),

    signInFromOutside: ({ accountHash, person, roles, session, ...by }) =>
      write(async (db) => {
        await countChange(db)
        const found = await personOf(db, accountHash)
        const hasRoles = roles.service.length > 0 || roles.members.length > 0
        if (found === null && !hasRoles) return null
        const personId = found?.person.id ?? person.id
        if (found === null) {
          await addPerson(db, person, [], by.at)
          await db
            .insertInto("outside_accounts")
            .values({ account_hash: accountHash, person_id: personId, created_at: by.at })
            .execute()
          await note(db, by, "person.create", `person:${personId}`, { method: session.method })
        } else {
          const { name, emailSealed } = person
          await db
            .updateTable("people")
            .set({ name, email_sealed: emailSealed })
            .where("id", "=", personId)
            .execute()
        }
        const kept = await setDecidedRoles(db, by, { personId, roles, before: found })
        if (!hasRoles) return null
        const own = await fileOf(db, await rowOf(db, personId))
        const tenantId = own.memberships[0]?.tenantId ?? null
        await addSession(db, { ...session, personId, tenantId })
        const self = { ...by, actor: `person:${personId}`, tenantId }
        const detail = { method: session.method, tenantId }
        await note(db, self, "session.open", `person:${personId}`, detail)
        return { personId, tenantId, kept }
      }),
  }
}

/** Returns what had to be kept. */
async function setDecidedRoles(
  db: Write,
  by: Change,
  of: { personId: string; roles: DecidedRoles; before: PersonFile | null },
): Promise<KeptRole[]> {
  const { personId, roles, before } = of
  const service = new Set(roles.service)
  const members = new Map(roles.members.map(({ tenantId, role }) => [tenantId, role]))
  const kept: KeptRole[] = []

  const isAdministrator = before?.person.roles.includes("administrator") === true
  if (isAdministrator && !service.has("administrator")) {
    if (!(await hasOtherAdministrator(db, personId))) {
      service.add("administrator")
      kept.push({ tenantId: null, role: "administrator" })
    }
  }
  for (const { tenantId, role } of before?.memberships ?? []) {
    if (role !== "owner" || members.get(tenantId) === "owner") continue
    if (await hasOtherOwner(db, tenantId, personId)) continue
    members.set(tenantId, "owner")
    kept.push({ tenantId, role: "owner" })
  }

  const had = rights(before?.person.roles ?? [], before?.memberships ?? [])
  const has = rights(
    [...service],
    [...members].map(([tenantId, role]) => ({ tenantId, role })),
  )
  if (had !== has) {
    await db
      .updateTable("people")
      .set({ roles: JSON.stringify([...service]) })
      .where("id", "=", personId)
      .execute()
    for (const { tenantId } of before?.memberships ?? []) {
      if (members.has(tenantId)) continue
      await db
        .deleteFrom("memberships")
        .where("person_id", "=", personId)
        .where("tenant_id", "=", tenantId)
        .execute()
      await note(db, { ...by, tenantId }, "member.remove", `person:${personId}`, { tenantId })
    }
    for (const [tenantId, role] of members) {
      if (before?.memberships.some((each) => each.tenantId === tenantId && each.role === role))
        continue
      await putMember(db, { personId, tenantId, role, at: by.at })
      const detail = { tenantId, role }
      await note(db, { ...by, tenantId }, "member.set-role", `person:${personId}`, detail)
    }
    await endSessions(db, personId, null)
  }
  if (had !== has || kept.length > 0) {
    const detail = { rights: JSON.parse(has) as unknown, kept }
    await note(db, by, "person.set-decided-roles", `person:${personId}`, detail)
  }
  return kept
}

/** One text for one set of rights. */
function rights(
  service: readonly string[],
  members: readonly { tenantId: number; role: string }[],
): string {
  return JSON.stringify({
    service: service.toSorted(),
    members: members
      .map(({ tenantId, role }) => ({ tenantId, role }))
      .toSorted((a, b) => a.tenantId - b.tenantId),
  })
}

async function personOf(db: Database, accountHash: Uint8Array): Promise<PersonFile | null> {
  const row = await db
    .selectFrom("people")
    .innerJoin("outside_accounts", "outside_accounts.person_id", "people.id")
    .selectAll("people")
    .where("account_hash", "=", accountHash)
    .executeTakeFirst()
  return row === undefined ? null : await fileOf(db, row)
}

function rowOf(db: Database, personId: string) {
  return db.selectFrom("people").selectAll().where("id", "=", personId).executeTakeFirstOrThrow()
}
