import assert from "node:assert/strict"

import type { SignedUp, SignUp } from "../src/records-signups.ts"
import { newInvitation } from "./records-people-suite.ts"
import { hashOf, refusedAs, testsOnRecords, type TestDatabase } from "./records-suite.ts"

const at = Date.UTC(2026, 2, 1)
const HOUR = 3_600_000

const newSignUp = (id: string, changes: Partial<SignUp> = {}): SignUp => ({
  id,
  at,
  organisation: "Corner Shop",
  emailHash: hashOf(`address of ${id}`),
  emailSealed: hashOf(`sealed address of ${id}`),
  purposes: ["fraud-prevention"],
  terms: "2026-11",
  ...changes,
})

const made = (name: string): SignedUp => {
  const { id, tokenHash, expiresAt } = newInvitation(`owner of ${name}`)
  return {
    tenant: { name, plan: "free" },
    key: {
      id: `key_${name}`,
      hash: hashOf(`key of ${name}`),
      hint: "ask_live_…",
      label: "",
      scopes: ["score"],
      expiresAt: null,
    },
    invitation: { id, tokenHash, expiresAt, role: "owner", personId: null },
    at,
    requestId: "req-1",
  }
}

/** What the records keep of sign-ups. */
export function recordsSignUpsSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)
  const token = { tokenHash: hashOf("a token"), expiresAt: at + HOUR }

  onRecords("a sign-up at once makes tenant, key and invitation together", async ({ records }) => {
    const before = await records.accountsVersion()
    const tenant = await records.signUpAtOnce({ signUp: newSignUp("su_1"), ...made("shop") })
    assert.equal(tenant.plan, "free")
    assert.equal((await records.keyByHash(hashOf("key of shop")))?.tenant?.id, tenant.id)
    const [invitation] = await records.invitations({ tenantId: tenant.id, at })
    assert.equal(invitation?.role, "owner")
    assert.ok((await records.accountsVersion()) > before)
    assert.equal(await records.hasSignedUp(hashOf("address of su_1")), true)
    assert.equal(await records.hasSignedUp(hashOf("address of su_2")), false)
  })

  onRecords("a sign-up that cannot be completed leaves nothing behind", async ({ records }) => {
    await records.signUpAtOnce({ signUp: newSignUp("su_1"), ...made("shop") })
    const again = { signUp: newSignUp("su_2"), ...made("shop") }
    await assert.rejects(records.signUpAtOnce(again), refusedAs("name-taken"))
    const sameKey = { ...made("other"), key: made("shop").key, signUp: newSignUp("su_3") }
    await assert.rejects(records.signUpAtOnce(sameKey), refusedAs("key-taken"))
    assert.deepEqual(
      (await records.tenants()).map(({ name }) => name),
      ["shop"],
    )
    assert.equal(await records.hasSignedUp(hashOf("address of su_3")), false)
  })

  onRecords("a token completes its sign-up once, and not when it is over", async ({ records }) => {
    await records.addSignUp({ signUp: newSignUp("su_1"), token, requestId: "req-1" })
    assert.deepEqual(await records.waitingSignUps(10), [])
    const { tokenHash } = token
    const late = { ...made("shop"), at: at + HOUR, tokenHash }
    await assert.rejects(records.completeSignUp(late), refusedAs("invitation-over"))
    const tenant = await records.completeSignUp({ ...made("shop"), tokenHash })
    assert.equal(tenant.name, "shop")
    await assert.rejects(
      records.completeSignUp({ ...made("two"), tokenHash }),
      refusedAs("invitation-over"),
    )
    assert.equal((await records.tenants()).length, 1)
  })

  onRecords(
    "one that waits is approved or refused by an administrator, once",
    async ({ records }) => {
      await records.addSignUp({ signUp: newSignUp("su_1"), token: null, requestId: "req-1" })
      await records.addSignUp({
        signUp: newSignUp("su_2", { at: at + 1 }),
        token: null,
        requestId: "req-1",
      })
      assert.deepEqual(await records.waitingSignUps(10), [
        newSignUp("su_1"),
        newSignUp("su_2", { at: at + 1 }),
      ])
      const by = { at, actor: "cli:ada" }
      await records.decideSignUp({ id: "su_1", token, ...by })
      assert.equal(await records.waitingSignUp("su_1"), null)
      assert.deepEqual(await records.waitingSignUp("su_2"), newSignUp("su_2", { at: at + 1 }))
      const { tokenHash } = token
      assert.deepEqual(await records.signUpByToken({ tokenHash, at }), newSignUp("su_1"))
      assert.equal(await records.signUpByToken({ tokenHash, at: at + HOUR }), null)
      await records.decideSignUp({ id: "su_2", token: null, ...by })
      for (const id of ["su_1", "su_2", "su_3"])
        await assert.rejects(
          records.decideSignUp({ id, token: null, ...by }),
          refusedAs("not-found"),
        )
      await records.completeSignUp({ ...made("shop"), tokenHash: token.tokenHash })
      assert.deepEqual(await records.waitingSignUps(10), [])
    },
  )

  onRecords("what was not completed is forgotten, what was done is kept", async ({ records }) => {
    await records.signUpAtOnce({ signUp: newSignUp("su_1"), ...made("shop") })
    await records.addSignUp({ signUp: newSignUp("su_2"), token, requestId: "req-1" })
    await records.addSignUp({ signUp: newSignUp("su_3"), token: null, requestId: "req-1" })
    assert.equal(await records.forgetSignUps({ before: at, waitingBefore: at }), 0)
    assert.equal(await records.forgetSignUps({ before: at + 2 * HOUR, waitingBefore: at + 1 }), 2)
    await records.dropSignUp("su_1")
    assert.equal(await records.hasSignedUp(hashOf("address of su_1")), true)
  })
}
