import assert from "node:assert/strict"

import type { OutsideSignIn } from "../src/records-outside.ts"
import type { Records } from "../src/records.ts"
import {
  joined,
  newInvitation,
  newPassword,
  newPerson,
  newSession,
} from "./records-people-suite.ts"
import { hashOf, refusedAs, testsOnRecords, type TestDatabase } from "./records-suite.ts"

const at = Date.UTC(2026, 2, 1)
const actor = "single-sign-on"

const signIn = (
  account: string,
  token: string,
  roles: OutsideSignIn["roles"],
  changes: Partial<OutsideSignIn> = {},
): OutsideSignIn => ({
  accountHash: hashOf(account),
  person: newPerson(`new ${account} by ${token}`),
  roles,
  session: { ...newSession(token, ""), method: "oidc" },
  at,
  actor,
  ...changes,
})

const viewerOf = (tenantId: number): OutsideSignIn["roles"] => ({
  service: [],
  members: [{ tenantId, role: "viewer" }],
})
const NONE: OutsideSignIn["roles"] = { service: [], members: [] }

/** What the records keep of people who sign in at a provider outside. */
export function recordsOutsideSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  async function tenant(records: Records, name = "Shop"): Promise<number> {
    return (await records.createTenant({ name, plan: "free", at, actor })).id
  }
  const notes = async (records: Records, limit: number): Promise<[string, string, unknown][]> =>
    (await records.audit({ limit })).map(({ action, actor: by, detail }) => [action, by, detail])

  onRecords("an account makes a person once, who is found by it alone", async ({ records }) => {
    const tenantId = await tenant(records)
    const hash = hashOf("account")
    assert.equal(await records.personByOutsideAccount(hash), null)
    const first = await records.signInFromOutside(signIn("account", "t1", viewerOf(tenantId)))
    const personId = "new account by t1"
    assert.deepEqual(first, { personId, tenantId, kept: [] })
    const renamed = {
      ...newPerson("never made"),
      name: "Ana Maria",
      emailSealed: hashOf("another address"),
    }
    const second = await records.signInFromOutside(
      signIn("account", "t2", viewerOf(tenantId), { person: renamed, at: at + 1 }),
    )
    assert.deepEqual(second, { personId, tenantId, kept: [] })
    const found = await records.personByOutsideAccount(hash)
    assert.equal(found?.person.id, personId)
    assert.equal(found.person.name, "Ana Maria")
    assert.deepEqual(Buffer.from(found.person.emailSealed), Buffer.from(renamed.emailSealed))
    assert.deepEqual(found.credentials, [])
    assert.equal((await records.people()).length, 1)
    // Nothing about rights changed, so both sessions go on.
    assert.equal((await records.sessionsOf(personId)).length, 2)
    assert.equal((await records.sessionByToken(hashOf("t2")))?.member?.role, "viewer")
    assert.deepEqual(await notes(records, 5), [
      ["session.open", `person:${personId}`, { method: "oidc", tenantId }],
      ["session.open", `person:${personId}`, { method: "oidc", tenantId }],
      [
        "person.set-decided-roles",
        actor,
        { rights: { service: [], members: [{ tenantId, role: "viewer" }] }, kept: [] },
      ],
      ["member.set-role", actor, { tenantId, role: "viewer" }],
      ["person.create", actor, { method: "oidc" }],
    ])
  })

  onRecords("without a role nobody is made, and nothing is noted", async ({ records }) => {
    await tenant(records)
    const before = await records.audit({ limit: 9 })
    assert.equal(await records.signInFromOutside(signIn("account", "t1", NONE)), null)
    assert.equal(await records.hasPeople(), false)
    assert.equal(await records.sessionByToken(hashOf("t1")), null)
    assert.deepEqual(await records.audit({ limit: 9 }), before)
  })

  onRecords(
    "other roles take the place of all there were, and end sessions",
    async ({ records }) => {
      const [shop, bank] = [await tenant(records), await tenant(records, "Bank")]
      for (const [n, tenantId] of [shop, bank].entries())
        await joined(records, `owner ${n}`, { tenantId, role: "owner" })
      await joined(records, "root", { tenantId: null, role: "administrator" })
      const signedIn = await records.signInFromOutside(
        signIn("account", "t1", {
          service: ["drop-recipient", "administrator"],
          members: [
            { tenantId: shop, role: "owner" },
            { tenantId: bank, role: "viewer" },
          ],
        }),
      )
      const personId = signedIn?.personId ?? ""
      const version = await records.peopleVersion()
      const roles = { service: ["drop-recipient"], members: [{ tenantId: bank, role: "analyst" }] }
      const again = await records.signInFromOutside(signIn("account", "t2", roles))
      assert.deepEqual(again, { personId, tenantId: bank, kept: [] })
      assert.ok((await records.peopleVersion()) > version)
      const found = await records.personById(personId)
      assert.deepEqual(found?.person.roles, ["drop-recipient"])
      assert.deepEqual(
        found.memberships.map(({ tenantId, role }) => ({ tenantId, role })),
        roles.members,
      )
      assert.equal(await records.sessionByToken(hashOf("t1")), null)
      assert.deepEqual(
        (await records.sessionsOf(personId)).map(({ id }) => id),
        ["ses_t2"],
      )
      const ofShop = await records.audit({ limit: 9, tenantId: shop })
      assert.deepEqual(
        ofShop.filter((entry) => entry.actor === actor).map(({ action }) => action),
        ["member.remove", "member.set-role", "tenant.create"],
      )
      // Of others nothing changed.
      assert.equal((await records.sessionsOf("root")).length, 1)
      assert.equal((await records.members(shop)).length, 1)

      // Nothing is left: the person stays known, without rights and signed out.
      assert.equal(await records.signInFromOutside(signIn("account", "t3", NONE)), null)
      const left = await records.personById(personId)
      assert.deepEqual([left?.person.roles, left?.memberships], [[], []])
      assert.deepEqual(await records.sessionsOf(personId), [])
      const [last] = await notes(records, 1)
      assert.deepEqual(last, [
        "person.set-decided-roles",
        actor,
        { rights: { service: [], members: [] }, kept: [] },
      ])
    },
  )

  onRecords("the last owner and the last administrator keep that role", async ({ records }) => {
    const tenantId = await tenant(records)
    const owner = { service: ["administrator"], members: [{ tenantId, role: "owner" }] }
    await records.signInFromOutside(signIn("account", "t1", owner))
    const kept = [
      { tenantId: null, role: "administrator" },
      { tenantId, role: "owner" },
    ]
    const lower = await records.signInFromOutside(signIn("account", "t2", viewerOf(tenantId)))
    const personId = lower?.personId ?? ""
    assert.deepEqual(lower, { personId, tenantId, kept })
    const [, noted] = await notes(records, 2)
    assert.equal(noted?.[0], "person.set-decided-roles")
    assert.deepEqual((noted[2] as { kept: unknown }).kept, kept)
    // Nothing changed after all, so no session ended.
    assert.equal((await records.sessionsOf(personId)).length, 2)
    assert.equal((await records.members(tenantId))[0]?.role, "owner")
    // Also where no role is left at all: the row stays, and nobody is signed in by it.
    assert.equal(await records.signInFromOutside(signIn("account", "t3", NONE)), null)
    assert.equal((await records.members(tenantId))[0]?.role, "owner")
    assert.equal(await records.sessionByToken(hashOf("t3")), null)

    await joined(records, "second", { tenantId, role: "owner" })
    await joined(records, "root", { tenantId: null, role: "administrator" })
    const now = await records.signInFromOutside(signIn("account", "t4", viewerOf(tenantId)))
    assert.deepEqual(now?.kept, [])
    const found = await records.personById(personId)
    assert.deepEqual(found?.person.roles, [])
    assert.equal(found.memberships[0]?.role, "viewer")
  })

  onRecords("of a tenant without an owner somebody else may be the first", async ({ records }) => {
    const tenantId = await tenant(records)
    const signedIn = await records.signInFromOutside(signIn("account", "t1", viewerOf(tenantId)))
    assert.equal(signedIn?.tenantId, tenantId)
    const holder = await records.sessionByToken(hashOf("t1"))
    assert.equal(holder?.member?.role, "viewer")
    assert.ok((await records.keys({ tenantId })).some(({ id }) => id === `console_${tenantId}`))
  })

  onRecords("of two who sign in first at once, one person is made", async ({ records, open }) => {
    const tenantId = await tenant(records)
    const writers = [records, await open(), await open()]
    const outcomes = await Promise.all(
      writers.map((writer, n) =>
        writer.signInFromOutside(signIn("account", `t${n}`, viewerOf(tenantId))),
      ),
    )
    assert.equal(new Set(outcomes.map((each) => each?.personId)).size, 1)
    assert.equal((await records.people()).length, 1)
    assert.equal((await records.sessionsOf(outcomes[0]?.personId ?? "")).length, 3)
    for (const writer of writers.slice(1)) await writer.close()
  })

  onRecords("whoever signs in outside gets nothing else to sign in by", async ({ records }) => {
    const tenantId = await tenant(records)
    const signedIn = await records.signInFromOutside(signIn("account", "t1", viewerOf(tenantId)))
    const personId = signedIn?.personId ?? ""
    const change = { personId, action: "person.set-password", remove: {}, keepSession: null }
    await assert.rejects(
      records.changeCredentials({ ...change, add: [newPassword("x")], at, actor }),
      refusedAs("outside-account"),
    )
    await records.invite(newInvitation("back", { role: null, personId }))
    await assert.rejects(
      records.join({
        tokenHash: hashOf("back"),
        person: { id: personId },
        credentials: [newPassword("x")],
        session: newSession("t9", personId),
        replaces: null,
        at,
      }),
      refusedAs("outside-account"),
    )
    assert.deepEqual((await records.personById(personId))?.credentials, [])
    assert.equal((await records.sessionsOf(personId)).length, 1)
  })
}
