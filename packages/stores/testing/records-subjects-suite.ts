import assert from "node:assert/strict"

import { feedback, tenants } from "./records-feedback-suite.ts"
import type { SubjectChange } from "../src/records-subjects.ts"
import { hashOf, testsOnRecords, type TestDatabase } from "./records-suite.ts"

const at = Date.UTC(2026, 2, 1, 12)
const alice = hashOf("alice").slice(0, 16)
const bob = hashOf("bob").slice(0, 16)

function change(changes: Partial<SubjectChange> = {}): SubjectChange {
  return {
    identityKey: alice,
    identityType: "email",
    tenantId: null,
    reason: "subject_request",
    reference: "case-7",
    at,
    actor: "test",
    ...changes,
  }
}

/** What the records keep and forget of the people behind identities. */
export function recordsSubjectsSuite(
  engine: string,
  newDatabase: () => Promise<TestDatabase>,
): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords("erasing takes the reports of all tenants and leaves a tombstone", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    await records.addFeedback(feedback(acme, "fb_1"), null, "")
    await records.addFeedback(feedback(other, "fb_2", { keyId: "k2" }), null, "")
    await records.addFeedback(feedback({ ...acme, identityKey: bob }, "fb_3"), null, "")
    assert.equal((await records.reportsOn(alice, null)).length, 2)
    assert.equal((await records.reportsOn(alice, other.tenantId)).length, 1)
    assert.equal(await records.tombstone(alice), null)

    assert.equal((await records.eraseSubject(change())).reports, 2)
    assert.deepEqual(await records.reportsOn(alice, null), [])
    assert.equal((await records.reportsOn(bob, null)).length, 1)
    assert.equal((await records.tombstone(alice))?.erasedAt, at)
    assert.equal(await records.tombstone(bob), null)

    // The first moment stands.
    await records.eraseSubject(change({ at: at + 1 }))
    assert.equal((await records.tombstone(alice))?.erasedAt, at)
  })

  onRecords(
    "an erasure known from elsewhere is repeated once, with its own moment",
    async (openings) => {
      const { records } = openings
      const { acme } = await tenants(openings)
      await records.addFeedback(feedback(acme, "fb_1"), null, "")
      await records.addFeedback(feedback({ ...acme, identityKey: bob }, "fb_2"), null, "")
      await records.eraseAgain({ identityKey: alice, erasedAt: at })
      await records.eraseAgain({ identityKey: alice, erasedAt: at + 1 })
      assert.equal((await records.tombstone(alice))?.erasedAt, at)
      assert.deepEqual(await records.reportsOn(alice, null), [])
      assert.equal((await records.reportsOn(bob, null)).length, 1)
    },
  )

  onRecords(
    "a tenant's erasure takes its own reports and leaves no tombstone",
    async (openings) => {
      const { records } = openings
      const { acme, other } = await tenants(openings)
      await records.addFeedback(feedback(acme, "fb_1"), null, "")
      await records.addFeedback(feedback(other, "fb_2", { keyId: "k2" }), null, "")
      assert.equal((await records.eraseSubject(change({ tenantId: acme.tenantId }))).reports, 1)
      assert.deepEqual(
        (await records.reportsOn(alice, null)).map(({ id }) => id),
        ["fb_2"],
      )
      assert.equal(await records.tombstone(alice), null)
    },
  )

  onRecords("tombstones are listed by key, page by page", async ({ records }) => {
    const keys = Array.from({ length: 5 }, (_, n) => hashOf(`subject ${n}`).slice(0, 16))
    for (const identityKey of keys) await records.eraseSubject(change({ identityKey }))
    const sorted = keys.map((key) => Buffer.from(key).toString("hex")).sort()
    const seen: string[] = []
    for (let after: Uint8Array | null = null; ;) {
      const page = await records.tombstones({ after, limit: 2 })
      seen.push(...page.map(({ identityKey }) => Buffer.from(identityKey).toString("hex")))
      after = page.at(-1)?.identityKey ?? null
      if (page.length < 2) break
    }
    assert.deepEqual(seen, sorted)
  })

  onRecords("exports are admitted up to a number for each owner", async ({ records }) => {
    const hour = 3_600_000
    for (let n = 0; n < 3; n++)
      assert.equal(await records.admitExport(change({ at: at + n }), 3, at - hour), null)
    const late = change({ at: at + 10 })
    assert.equal(await records.admitExport(late, 3, at + 10 - hour), at)
    assert.equal(await records.admitExport({ ...late, tenantId: 1 }, 3, at + 10 - hour), null)
    assert.equal(await records.admitExport(change({ at: at + hour }), 3, at), null)
  })

  onRecords(
    "exports of a time that is still to come do not count: the clock was set back",
    async ({ records }) => {
      const hour = 3_600_000
      const before = at - 7 * 24 * hour
      for (const moment of [at, before]) {
        for (let n = 0; n < 3; n++) {
          const admitted = await records.admitExport(
            change({ at: moment + n }),
            3,
            moment + n - hour,
          )
          assert.equal(admitted, null)
        }
        const refused = await records.admitExport(change({ at: moment + 3 }), 3, moment + 3 - hour)
        assert.equal(refused, moment, "the limit holds by either clock")
        // Of two that come together the later may be written first.
        const first = await records.admitExport(change({ at: moment }), 3, moment - hour)
        assert.equal(first, moment)
      }
    },
  )

  onRecords("the audit trail says who and why, and never whom", async ({ records }) => {
    await records.eraseSubject(change())
    await records.admitExport(change({ tenantId: 1 }), 20, 0)
    const [exported, erased] = await records.audit({ limit: 2 })
    assert.equal(exported?.action, "subject.export")
    assert.equal(exported.subject, "tenant:1")
    assert.equal(erased?.action, "subject.erase")
    assert.deepEqual(erased.detail, {
      subject: "email",
      reason: "subject_request",
      reference: "case-7",
      reports: 0,
    })
    const hex = Buffer.from(alice).toString("hex")
    assert.ok(!JSON.stringify([exported, erased]).includes(hex))
  })
}
