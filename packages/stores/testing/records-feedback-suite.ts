import assert from "node:assert/strict"

import type { Feedback, FeedbackIdentity, NewFeedback } from "../src/records-feedback.ts"
import { FEEDBACK_ROUTE } from "../src/records-feedback.ts"
import type { Records } from "../src/records.ts"
import type { IdempotencyClaim } from "../src/records-idempotency.ts"
import {
  hashOf,
  newKey,
  refusedAs,
  testsOnRecords,
  type Openings,
  type TestDatabase,
} from "./records-suite.ts"

const at = Date.UTC(2026, 2, 1, 12)
const HOUR_MS = 3_600_000
const actor = "test"
const alice = hashOf("alice").slice(0, 16)
const bob = hashOf("bob").slice(0, 16)

interface Tenants {
  readonly acme: FeedbackIdentity
  readonly other: FeedbackIdentity
}

/** Two tenants with a key each, k1 and k2. */
export async function tenants({ records }: Openings): Promise<Tenants> {
  const acme = await records.createTenant({ name: "Acme", plan: "free", at, actor })
  const other = await records.createTenant({ name: "Other", plan: "free", at, actor })
  await records.createKey(newKey("k1", { tenantId: acme.id }))
  await records.createKey(newKey("k2", { tenantId: other.id }))
  return {
    acme: { tenantId: acme.id, identityKey: alice },
    other: { tenantId: other.id, identityKey: alice },
  }
}

export function feedback(
  identity: FeedbackIdentity,
  id: string,
  changes: Partial<NewFeedback> = {},
): NewFeedback {
  return {
    ...identity,
    id,
    keyId: "k1",
    identityType: "email",
    aliasTag: 0,
    outcome: "fraud_confirmed",
    occurredAt: at,
    receivedAt: at,
    loss: null,
    reference: null,
    expiresAt: null,
    ...changes,
  }
}

function claim(name: string, changes: Partial<IdempotencyClaim> = {}): IdempotencyClaim {
  const keyHash = hashOf(name)
  return { keyId: "k1", route: FEEDBACK_ROUTE, keyHash, fingerprint: hashOf("body"), ...changes }
}

const ids = (rows: readonly Feedback[]): string[] => rows.map(({ id }) => id)

/** Confirms all that there is. */
export async function settled(
  records: Records,
  identity: FeedbackIdentity,
  moment: number,
): Promise<void> {
  assert.equal(
    await records.settleFeedback(identity, moment, await records.feedbackOf(identity)),
    true,
  )
}

/** What this suite does not state, no caller may rely on. */
export function recordsFeedbackSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords("feedback comes back as it was written, in order of receipt", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    assert.equal(await records.newestFeedbackAt(), null)
    const full = feedback(acme, "fb_2", {
      identityType: "phone",
      aliasTag: 65_535,
      outcome: "takeover_confirmed",
      occurredAt: at - 1,
      receivedAt: at + 2,
      loss: 1234.56,
      reference: "case é 7",
      expiresAt: at + 9,
    })
    const early = feedback(acme, "fb_1", { receivedAt: at + 1 })
    for (const each of [full, early]) {
      assert.deepEqual(await records.addFeedback(each, null, "{}"), { state: "taken" })
    }
    await records.addFeedback(feedback({ ...acme, identityKey: bob }, "fb_3"), null, "{}")
    await records.addFeedback(feedback(other, "fb_4", { keyId: "k2" }), null, "{}")
    assert.deepEqual(await records.feedbackOf(acme), [
      { ...early, undoneAt: null, dueAt: at + 1 },
      { ...full, undoneAt: null, dueAt: at + 2 },
    ])
    assert.deepEqual(ids(await records.feedbackOf(other)), ["fb_4"])
    assert.equal(await records.newestFeedbackAt(), at + 2)
    for (const loss of [0, 0.1, 1e21, 5e-324, Number.MAX_VALUE]) {
      await records.addFeedback(feedback(acme, `fb_${loss}`, { loss }), null, "{}")
      const stored = (await records.feedbackOf(acme)).find(({ id }) => id === `fb_${loss}`)
      assert.equal(stored?.loss, loss)
    }
  })

  onRecords("feedback of a tenant or key that does not exist is refused", async (openings) => {
    const { records } = openings
    const { acme } = await tenants(openings)
    const stray = { ...acme, tenantId: 99 }
    await assert.rejects(
      records.addFeedback(feedback(stray, "fb_1"), claim("a"), "{}"),
      refusedAs("not-found"),
    )
    // Nothing of the refused transaction is left, its claim included.
    assert.deepEqual(await records.addFeedback(feedback(acme, "fb_2"), claim("a"), "{}"), {
      state: "taken",
    })
  })

  onRecords("an undone row stays, marked, for its own tenant alone to undo", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    await records.addFeedback(feedback(acme, "fb_1"), null, "{}")
    await settled(records, acme, at)
    const { tenantId } = acme
    assert.equal(
      await records.undoFeedback({ id: "fb_1", tenantId: other.tenantId, at: at + 1 }),
      null,
    )
    assert.equal(await records.undoFeedback({ id: "fb_9", tenantId, at: at + 1 }), null)
    assert.deepEqual(await records.dueFeedback({ at: at + 9, limit: 9 }), [])
    assert.deepEqual(await records.undoFeedback({ id: "fb_1", tenantId, at: at + 1 }), acme)
    assert.deepEqual(await records.dueFeedback({ at: at + 9, limit: 9 }), [acme])
    assert.deepEqual(await records.undoFeedback({ id: "fb_1", tenantId, at: at + 5 }), acme)
    const [row] = await records.feedbackOf(acme)
    assert.equal(row?.undoneAt, at + 1)
  })

  onRecords("feedback is due when new, undone or expired, and else settled", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const due = async (moment: number): Promise<FeedbackIdentity[]> =>
      records.dueFeedback({ at: moment, limit: 10 })
    await records.addFeedback(feedback(acme, "fb_1"), null, "{}")
    await records.addFeedback(feedback(acme, "fb_2", { expiresAt: at + 100 }), null, "{}")
    await records.addFeedback(feedback(other, "fb_3", { keyId: "k2" }), null, "{}")
    assert.deepEqual(await due(at - 1), [])
    assert.deepEqual(await due(at), [acme, other])
    assert.deepEqual(await records.dueFeedback({ at, limit: 1 }), [acme])
    await settled(records, acme, at + 1)
    assert.deepEqual(await due(at + 99), [other])
    await settled(records, other, at + 1)
    assert.deepEqual(await due(at + 99), [])
    assert.deepEqual(await due(at + 100), [acme])
    await settled(records, acme, at + 100)
    assert.deepEqual(await due(at + 1e9), [])

    // Of feedback that was undone, the end no longer matters.
    const late = feedback(acme, "fb_4", { expiresAt: at + 500, receivedAt: at + 200 })
    await records.addFeedback(late, null, "{}")
    await records.undoFeedback({ id: "fb_4", tenantId: acme.tenantId, at: at + 201 })
    await settled(records, acme, at + 202)
    assert.deepEqual(await due(at + 1e9), [])
  })

  onRecords(
    "only reports that were applied are settled, and none where others came or were undone meanwhile",
    async (openings) => {
      const { records, open } = openings
      const node = await open()
      const { acme } = await tenants(openings)
      const due = () => records.dueFeedback({ at: at + 9, limit: 9 })
      await records.addFeedback(feedback(acme, "fb_1"), null, "{}")
      const one = await records.feedbackOf(acme)
      await node.addFeedback(feedback(acme, "fb_2"), null, "{}")
      assert.equal(await records.settleFeedback(acme, at + 9, one), false)
      assert.deepEqual(await due(), [acme])
      const both = await records.feedbackOf(acme)
      await node.undoFeedback({ id: "fb_2", tenantId: acme.tenantId, at: at + 1 })
      assert.equal(await records.settleFeedback(acme, at + 9, both), false)
      // Also where the other node has settled it: this one applied what no longer is so.
      await settled(node, acme, at + 9)
      assert.deepEqual(await due(), [])
      assert.equal(await records.settleFeedback(acme, at + 9, both), false)
      assert.equal(await records.settleFeedback(acme, at + 9, one), false)
      await settled(records, acme, at + 9)
    },
  )

  onRecords("a claim is carried out once, and answered alike when done", async (openings) => {
    const { records } = openings
    const { acme } = await tenants(openings)
    const send = async (id: string, by: IdempotencyClaim, receivedAt = at) =>
      records.addFeedback(feedback(acme, id, { receivedAt }), by, `{"id":"${id}"}`)
    assert.deepEqual(await send("fb_1", claim("a")), { state: "taken" })
    assert.deepEqual(await send("fb_2", claim("a")), { state: "running" })
    const otherBody = claim("a", { fingerprint: hashOf("another body") })
    assert.deepEqual(await send("fb_3", otherBody), { state: "mismatch" })
    await settled(records, acme, at + 1)
    assert.deepEqual(await send("fb_4", claim("a")), { state: "done", response: '{"id":"fb_1"}' })
    assert.deepEqual(await send("fb_5", otherBody), { state: "mismatch" })
    assert.deepEqual(ids(await records.feedbackOf(acme)), ["fb_1"])

    // Another key, another route and another name are other claims.
    for (const [n, other] of [
      claim("a", { keyId: "k2" }),
      claim("a", { route: "POST /elsewhere" }),
      claim("b"),
    ].entries()) {
      assert.deepEqual(await send(`fb_6${n}`, other), { state: "taken" })
    }
    // A day later the name may be used again, for any request.
    assert.equal((await send("fb_7", claim("a"), at + 24 * HOUR_MS - 1)).state, "done")
    assert.deepEqual(await send("fb_8", otherBody, at + 24 * HOUR_MS), { state: "taken" })
    assert.equal((await records.feedbackOf(acme)).length, 5)
  })

  onRecords("of two claims at once one is carried out", async (openings) => {
    const { records, open } = openings
    const { acme } = await tenants(openings)
    const second = await open()
    const outcomes = await Promise.all(
      [records, second, records, second].map((each, n) =>
        each.addFeedback(feedback(acme, `fb_${n}`), claim("a"), "{}"),
      ),
    )
    assert.deepEqual(outcomes.map(({ state }) => state).sort(), [
      "running",
      "running",
      "running",
      "taken",
    ])
    assert.equal((await records.feedbackOf(acme)).length, 1)
  })

  onRecords("identities with feedback are listed page by page, each once", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const all = [acme, { ...acme, identityKey: bob }, other]
    for (const [n, identity] of all.entries()) {
      await records.addFeedback(feedback(identity, `fb_${n}`), null, "{}")
      await records.addFeedback(feedback(identity, `fb_${n}_again`), null, "{}")
    }
    const listed: FeedbackIdentity[] = []
    for (let after: FeedbackIdentity | null = null; ;) {
      const page: FeedbackIdentity[] = await records.feedbackIdentities({ after, limit: 1 })
      if (page.length === 0) break
      listed.push(...page)
      after = page.at(-1) ?? null
    }
    const inOrder = all.toSorted(
      (a, b) => a.tenantId - b.tenantId || Buffer.compare(a.identityKey, b.identityKey),
    )
    assert.deepEqual(listed, inOrder)
    assert.deepEqual(await records.feedbackIdentities({ after: null, limit: 10 }), inOrder)
  })

  onRecords("what has ended is forgotten, what acts or is due is kept", async (openings) => {
    const { records } = openings
    const { acme } = await tenants(openings)
    const { tenantId } = acme
    await records.addFeedback(feedback(acme, "acts"), claim("a"), "{}")
    await records.addFeedback(feedback(acme, "undone"), null, "{}")
    await records.addFeedback(feedback(acme, "expired", { expiresAt: at + 10 }), null, "{}")
    await records.addFeedback(feedback(acme, "expires", { expiresAt: at + 1e6 }), null, "{}")
    await records.undoFeedback({ id: "undone", tenantId, at: at + 5 })
    assert.equal(await records.forgetFeedback(at + 100), 0)
    await settled(records, acme, at + 20)
    assert.equal(await records.forgetFeedback(at + 5), 0)
    assert.equal(await records.forgetFeedback(at + 100), 2)
    assert.deepEqual(ids(await records.feedbackOf(acme)), ["acts", "expires"])
    assert.equal(await records.undoFeedback({ id: "undone", tenantId, at: at + 200 }), null)

    assert.equal(await records.forgetClaims(at), 0)
    assert.equal(await records.forgetClaims(at + 1), 1)
    const again = feedback(acme, "fb_2", { receivedAt: at + 2 })
    assert.deepEqual(await records.addFeedback(again, claim("a"), "{}"), { state: "taken" })
  })
}
