import assert from "node:assert/strict"

import type { NewInvitation } from "../src/records-invitations.ts"
import type { NewCredential, NewPerson } from "../src/records-people.ts"
import type { NewSession } from "../src/records-sessions.ts"
import type { Records } from "../src/records.ts"
import { hashOf, refusedAs, testsOnRecords, type TestDatabase } from "./records-suite.ts"

const at = Date.UTC(2026, 2, 1)
const actor = "cli:ada"
const HOUR = 3_600_000

export const newPerson = (id: string): NewPerson => ({
  id,
  name: id,
  emailHash: hashOf(`address of ${id}`),
  emailSealed: hashOf(`sealed address of ${id}`),
})

export const newPassword = (id: string): NewCredential => ({
  id: `password of ${id}`,
  kind: "password",
  secret: hashOf(`password of ${id}`),
  counter: 0,
  label: "",
  transports: [],
})

export const newInvitation = (
  token: string,
  changes: Partial<NewInvitation> = {},
): NewInvitation => ({
  id: `inv_${token}`,
  tokenHash: hashOf(token),
  tenantId: null,
  role: "administrator",
  personId: null,
  expiresAt: at + HOUR,
  at,
  actor,
  ...changes,
})

export const newSession = (
  token: string,
  person: string,
  tenantId: number | null = null,
): NewSession => ({
  id: `ses_${token}`,
  tokenHash: hashOf(token),
  personId: person,
  tenantId,
  method: "password",
  signedInAt: at,
  expiresAt: at + HOUR,
})

/** Invites somebody, who joins. */
export async function joined(
  records: Records,
  id: string,
  of: { tenantId: number | null; role: string },
): Promise<void> {
  await records.invite(newInvitation(`for ${id}`, of))
  await records.join({
    tokenHash: hashOf(`for ${id}`),
    person: newPerson(id),
    credentials: [newPassword(id)],
    session: newSession(`first of ${id}`, id),
    replaces: null,
    at,
  })
}

/** What the records keep of people who sign in. */
export function recordsPeopleSuite(engine: string, newDatabase: () => Promise<TestDatabase>): void {
  const onRecords = testsOnRecords(engine, newDatabase)
  const tenantOf = async (records: Records, name = "Acme"): Promise<number> =>
    (await records.createTenant({ name, plan: "free", at, actor })).id

  onRecords("an invitation is good once and before its end", async ({ records }) => {
    const tenantId = await tenantOf(records)
    assert.equal(await records.hasPeople(), false)
    await records.invite(newInvitation("t1", { tenantId, role: "owner" }))
    const [listed] = await records.invitations({ tenantId, at })
    assert.deepEqual(listed, {
      id: "inv_t1",
      tenantId,
      tenantName: "Acme",
      role: "owner",
      personId: null,
      actor,
      createdAt: at,
      expiresAt: at + HOUR,
      usedAt: null,
    })
    assert.deepEqual(await records.invitations({ tenantId: null, at }), [])
    assert.deepEqual(await records.invitations({ tenantId, at: at + HOUR }), [])
    const joining = {
      tokenHash: hashOf("t1"),
      person: newPerson("ana"),
      credentials: [newPassword("ana")],
      session: newSession("s1", "ana"),
      replaces: null,
    }
    const late = records.join({ ...joining, at: at + HOUR })
    await assert.rejects(late, refusedAs("invitation-over"))
    assert.equal(await records.hasPeople(), false)

    assert.deepEqual(await records.join({ ...joining, at }), { personId: "ana", tenantId })
    const again = { ...joining, person: newPerson("eve"), session: newSession("s2", "eve"), at }
    await assert.rejects(records.join(again), refusedAs("invitation-over"))
    assert.deepEqual(
      (await records.people()).map(({ id }) => id),
      ["ana"],
    )
    assert.equal((await records.invitationByToken(hashOf("t1")))?.usedAt, at)
    const holder = await records.sessionByToken(hashOf("s1"))
    assert.equal(holder?.member?.role, "owner")
    assert.equal(holder.member.tenant.name, "Acme")
    assert.deepEqual(holder.roles, [])
    const [entry] = await records.audit({ limit: 1 })
    assert.equal(entry?.actor, "person:ana")
    assert.equal(entry.action, "invitation.accept")
    assert.ok(!JSON.stringify(entry).includes("address"))
    // What people look up is counted under a key that no text opens.
    const [key] = await records.keys({ tenantId })
    assert.equal(key?.id, `console_${tenantId}`)
    assert.deepEqual(key.scopes, [])
  })

  onRecords("of two who take up one invitation at once, one joins", async ({ records, open }) => {
    await records.invite(newInvitation("t1"))
    const writers = [records, await open(), await open()]
    const outcomes = await Promise.allSettled(
      writers.map((writer, n) =>
        writer.join({
          tokenHash: hashOf("t1"),
          person: newPerson(`p${n}`),
          credentials: [newPassword(`p${n}`)],
          session: newSession(`s${n}`, `p${n}`),
          replaces: null,
          at,
        }),
      ),
    )
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1)
    const people = await records.people()
    assert.equal(people.length, 1)
    assert.deepEqual(people[0]?.roles, ["administrator"])
  })

  onRecords("a known address is refused and leaves the invitation unused", async ({ records }) => {
    await joined(records, "ana", { tenantId: null, role: "administrator" })
    await records.invite(newInvitation("t2"))
    const joining = {
      tokenHash: hashOf("t2"),
      person: { ...newPerson("eve"), emailHash: newPerson("ana").emailHash },
      credentials: [newPassword("eve")],
      session: newSession("s2", "eve"),
      replaces: null,
      at,
    }
    await assert.rejects(records.join(joining), refusedAs("address-taken"))
    assert.equal((await records.invitationByToken(hashOf("t2")))?.usedAt, null)
    assert.equal(await records.sessionByToken(hashOf("s2")), null)
    const found = await records.personByEmail(newPerson("ana").emailHash)
    assert.equal(found?.person.id, "ana")
    assert.deepEqual(
      found.credentials.map(({ kind }) => kind),
      ["password"],
    )
    assert.equal(await records.personByEmail(hashOf("nobody")), null)
  })

  onRecords("the last owner stays, also when two leave at once", async ({ records, open }) => {
    const tenantId = await tenantOf(records)
    const other = await tenantOf(records, "Other")
    const owner = { tenantId, role: "owner" }
    await joined(records, "ana", owner)
    const by = { at, actor }
    const demoted = records.setMember({ tenantId, personId: "ana", role: "viewer", ...by })
    await assert.rejects(demoted, refusedAs("last-owner"))
    const removed = records.setMember({ tenantId, personId: "ana", role: null, ...by })
    await assert.rejects(removed, refusedAs("last-owner"))
    assert.notEqual(await records.sessionByToken(hashOf("first of ana")), null)

    await joined(records, "bob", owner)
    const elsewhere = { tenantId: other, personId: "bob", role: "viewer", ...by }
    await assert.rejects(records.setMember(elsewhere), refusedAs("not-found"))
    const second = await open()
    const outcomes = await Promise.allSettled([
      records.setMember({ tenantId, personId: "ana", role: null, ...by }),
      second.setMember({ tenantId, personId: "bob", role: "analyst", ...by }),
    ])
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1)
    const owners = (await records.members(tenantId)).filter(({ role }) => role === "owner")
    assert.equal(owners.length, 1)
  })

  onRecords("a change of rights ends the sessions, by one version", async ({ records }) => {
    const tenantId = await tenantOf(records)
    await joined(records, "ana", { tenantId, role: "owner" })
    await joined(records, "bob", { tenantId, role: "viewer" })
    const before = await records.peopleVersion()
    const change = { tenantId, personId: "bob", role: "analyst", at, actor }
    await records.setMember(change)
    assert.ok((await records.peopleVersion()) > before)
    assert.equal(await records.sessionByToken(hashOf("first of bob")), null)
    assert.notEqual(await records.sessionByToken(hashOf("first of ana")), null)
    assert.deepEqual(
      (await records.members(tenantId)).map(({ person, role }) => [person.id, role]),
      [
        ["ana", "owner"],
        ["bob", "analyst"],
      ],
    )
  })

  onRecords("the last administrator stays one", async ({ records }) => {
    await joined(records, "ana", { tenantId: null, role: "administrator" })
    const change = { personId: "ana", roles: ["drop-recipient"], at, actor }
    await assert.rejects(records.setServiceRoles(change), refusedAs("last-owner"))
    await joined(records, "bob", { tenantId: null, role: "administrator" })
    await records.setServiceRoles(change)
    assert.deepEqual((await records.personById("ana"))?.person.roles, ["drop-recipient"])
    const unknown = { ...change, personId: "nobody" }
    await assert.rejects(records.setServiceRoles(unknown), refusedAs("not-found"))
  })

  onRecords("a credential for one use signs in once", async ({ records, open }) => {
    await joined(records, "ana", { tenantId: null, role: "administrator" })
    const code: NewCredential = { ...newPassword("ana"), id: "code", kind: "recovery" }
    const app: NewCredential = { ...newPassword("ana"), id: "app", kind: "totp", counter: 10 }
    await records.changeCredentials({
      personId: "ana",
      action: "person.set-totp",
      remove: {},
      add: [code, app],
      keepSession: "ses_first of ana",
      at,
      actor,
    })
    assert.notEqual(await records.sessionByToken(hashOf("first of ana")), null)
    const writers = [records, await open()]
    const use = { id: "code", counter: null }
    const outcomes = await Promise.allSettled(
      writers.map((writer, n) =>
        writer.openSession({ session: newSession(`r${n}`, "ana"), use, replaces: null, at, actor }),
      ),
    )
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1)
    const opened = await Promise.all([0, 1].map((n) => records.sessionByToken(hashOf(`r${n}`))))
    assert.equal(opened.filter((each) => each !== null).length, 1)
    for (const [counter, refused] of [
      [10, true],
      [11, false],
      [11, true],
      [9, true],
      [12, false],
    ] as const) {
      const session = newSession(`c${counter}${String(refused)}`, "ana")
      const opening = records.openSession({
        session,
        use: { id: "app", counter },
        replaces: null,
        at,
        actor,
      })
      if (refused) await assert.rejects(opening, refusedAs("credential-used"))
      else await opening
    }
  })

  onRecords("something to sign in by is always left", async ({ records }) => {
    await joined(records, "ana", { tenantId: null, role: "administrator" })
    await joined(records, "bob", { tenantId: null, role: "administrator" })
    const change = {
      personId: "ana",
      action: "person.remove-password",
      remove: { kinds: ["password"] },
      add: [],
      keepSession: null,
      at,
      actor,
    } as const
    await assert.rejects(records.changeCredentials(change), refusedAs("last-credential"))
    assert.equal((await records.personById("ana"))?.credentials.length, 1)
    const passkey: NewCredential = { ...newPassword("ana"), id: "key", kind: "passkey" }
    await records.changeCredentials({ ...change, add: [passkey] })
    assert.equal((await records.personByCredential("key"))?.person.id, "ana")
    assert.equal(await records.sessionByToken(hashOf("first of ana")), null)
    const others = { ...change, remove: { ids: ["key"] }, personId: "bob" }
    await assert.rejects(records.changeCredentials(others), refusedAs("not-found"))
    const taken = { ...change, personId: "bob", remove: {}, add: [passkey] }
    await assert.rejects(records.changeCredentials(taken), refusedAs("credential-used"))
  })

  onRecords("a link lets somebody known back in with new credentials", async ({ records }) => {
    await joined(records, "ana", { tenantId: null, role: "administrator" })
    await records.invite(newInvitation("back", { role: null, personId: "ana" }))
    assert.deepEqual(await records.invitations({ tenantId: null, at }), [])
    await records.join({
      tokenHash: hashOf("back"),
      person: { id: "ana" },
      credentials: [{ ...newPassword("ana"), id: "new" }],
      session: newSession("after", "ana"),
      replaces: null,
      at,
    })
    const found = await records.personById("ana")
    assert.deepEqual(
      found?.credentials.map(({ id }) => id),
      ["new"],
    )
    assert.deepEqual(found.person.roles, ["administrator"])
    assert.equal(await records.sessionByToken(hashOf("first of ana")), null)
  })

  onRecords("sessions are listed, touched, ended and forgotten", async ({ records }) => {
    await joined(records, "ana", { tenantId: null, role: "administrator" })
    await joined(records, "bob", { tenantId: null, role: "administrator" })
    const opening = { use: null, replaces: null, at, actor: "person:ana" }
    await records.openSession({ session: newSession("two", "ana"), ...opening })
    await records.touchSessions([{ id: "ses_two", at: at + 5 }])
    await records.touchSessions([{ id: "ses_two", at: at + 3 }])
    const listed = await records.sessionsOf("ana")
    assert.deepEqual(
      listed.map(({ id, seenAt }) => [id, seenAt - at]),
      [
        ["ses_two", 5],
        ["ses_first of ana", 0],
      ],
    )
    const by = { at, actor: "person:bob" }
    const others = records.endSession({ personId: "bob", id: "ses_two", ...by })
    await assert.rejects(others, refusedAs("not-found"))
    const version = await records.peopleVersion()
    await records.endSession({ personId: "ana", id: "ses_two", ...by })
    assert.ok((await records.peopleVersion()) > version)
    assert.equal(await records.sessionByToken(hashOf("two")), null)

    const moved = { session: newSession("three", "ana"), ...opening, replaces: "ses_first of ana" }
    await records.openSession(moved)
    assert.equal(await records.sessionByToken(hashOf("first of ana")), null)
    await records.openSession({ session: newSession("four", "ana"), ...opening })
    const all = { personId: "ana", except: "ses_four", ...by }
    assert.equal(await records.endSessions(all), 1)
    assert.equal(await records.forgetSessions({ endedBefore: at, unusedSince: at }), 0)
    const ended = { endedBefore: at + HOUR, unusedSince: 0 }
    assert.equal(await records.forgetSessions(ended), 2)
    assert.deepEqual(await records.sessionsOf("bob"), [])
  })

  onRecords("an invitation is ended by those it belongs to", async ({ records }) => {
    const tenantId = await tenantOf(records)
    const other = await tenantOf(records, "Other")
    await records.invite(newInvitation("t1", { tenantId, role: "viewer" }))
    const by = { at, actor }
    for (const where of [other, null]) {
      const ending = records.endInvitation({ id: "inv_t1", tenantId: where, ...by })
      await assert.rejects(ending, refusedAs("not-found"))
    }
    await records.endInvitation({ id: "inv_t1", tenantId, ...by })
    assert.equal(await records.invitationByToken(hashOf("t1")), null)
    await records.invite(newInvitation("t2", { actor: "start" }))
    await records.invite(newInvitation("t3"))
    assert.equal(await records.endInvitationsBy("start"), 1)
    assert.equal((await records.invitations({ tenantId: null, at })).length, 1)
    assert.equal(await records.forgetInvitations(at + HOUR), 0)
    assert.equal(await records.forgetInvitations(at + HOUR + 1), 1)
  })
}
