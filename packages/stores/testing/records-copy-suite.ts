import assert from "node:assert/strict"
import { test } from "node:test"

import type { CopiedRow, RecordsCopy } from "../src/records-copy.ts"
import { RecordsError } from "../src/records-error.ts"
import { event, webhook } from "./records-events-suite.ts"
import { feedback, tenants } from "./records-feedback-suite.ts"
import { joined, newInvitation, newPerson, newSession } from "./records-people-suite.ts"
import { review } from "./records-review-suite.ts"
import { hashOf, newKey } from "./records-suite.ts"
import { item as watchedItem } from "./records-watch-suite.ts"
import type { Records } from "../src/records.ts"

/** A place for records, empty, that can be opened and copied. */
export interface CopiedDatabase {
  open(): Promise<Records>
  copy(): Promise<RecordsCopy>
}

const at = Date.UTC(2026, 2, 1)
const actor = "test"
const SHOT = {
  ...{ at, status: 200, error: null, durationMs: 5, response: "" },
  ...({ cause: "replay", delivered: true } as const),
}

/** A copy from `from` into `to` must be complete, and go on as if it had always been there. */
export function recordsCopySuite(
  name: string,
  from: () => Promise<CopiedDatabase>,
  to: () => Promise<CopiedDatabase>,
): void {
  test(`${name}: copied rows put back are the same rows, and counting goes on behind them`, async () => {
    const source = await from()
    const before = await source.open()
    await before.migrate()
    await before.checkKeyCheckValue("v2:0123456789abcdef")
    const { acme } = await tenants({
      records: before,
      open: source.open,
      execute: async () => undefined,
    })
    await before.rotateKey({
      id: "k1",
      newKey: { id: "a-successor", hash: hashOf("new"), hint: "x", expiresAt: null },
      overlapUntil: at,
      at,
      actor,
    })
    await before.addFeedback(feedback(acme, "fb_1", { loss: 12.5 }), null, "")
    await before.addUsage([{ keyId: "k1", day: "2026-03-01", operation: "email", count: 7 }])
    const spend = { tenantId: acme.tenantId, provider: "twilio", micros: 7, tenantCapMicros: 7 }
    await before.spendProviderCost("2026-03-01", [spend], 7)
    const line = {
      identityKey: hashOf("sim").slice(0, 16),
      source: "camara:one",
      entry: Uint8Array.of(1, 2),
      event: hashOf("event").slice(0, 16),
    }
    const sent = { owner: "shared", keyId: null, receivedAt: at, lines: [line] } as const
    await before.addEvidence(sent, null)
    await before.eraseSubject({
      identityKey: hashOf("gone").slice(0, 16),
      identityType: "email",
      tenantId: null,
      reason: "incident",
      reference: null,
      at,
      actor,
    })
    const { tenantId } = acme
    const reverted = { tenantId, settings: { verified: true }, revertedTo: 1, at, actor }
    await before.setTenantSettings(reverted)
    await joined(before, "ana", { tenantId, role: "owner" })
    await before.invite(newInvitation("unused"))
    await before.addReviews([review(tenantId, 0, { ref: "order 17" }), review(tenantId, 1)])
    const decision = { tenantId, at, actor, which: { filter: {}, limit: 1 } }
    const receipts = [{ id: "fb_review", receivedAt: at }]
    await before.decideReviews({ ...decision, outcome: "genuine", note: "known", receipts })
    const view = { tenantId, name: "All", shared: true, filter: { band: "high" }, at, actor }
    await before.saveView({ ...view, id: "view_1", list: "reviews" })
    await before.saveView({ ...view, id: "view_2", list: "decisions", shared: false })
    await before.setShadow({ tenantId, settings: { costs: { loss: 3 } }, at, actor })
    const domain = { id: "wch_d", domain: "a.example", domainKey: hashOf("d"), ref: "ours" }
    const items = [watchedItem(1), watchedItem(2)]
    await before.addWatchItems({ tenantId, at, items, domains: [domain] })
    await before.settleDomainCheck({ id: "wch_d", proof: "dns", at, checkAt: at + 1 })
    await before.setWatchPolicies([{ tenantId, policy: "p1" }])
    const batch = { batchId: 7, through: hashOf("key").slice(0, 16), done: true }
    await before.matchBatch({ batch, at, ids: [watchedItem(1).id], events: [] })
    // Nothing of the drop is in a copy, and what is beside it is.
    await before.createWebhook(webhook(null, "whk_1", { kinds: ["drop.digest", "import.failed"] }))
    await before.addEvents([event(null, { kind: "import.failed" })])
    await before.setDropDigest(event(null, { kind: "drop.digest" }))
    for (const { id } of await before.deliveries({ tenantId: null, webhookId: "whk_1", limit: 9 }))
      await before.logShot({ ...SHOT, deliveryId: id })
    const outside = hashOf("outside account")
    await before.signInFromOutside({
      accountHash: outside,
      person: newPerson("bo"),
      roles: { service: ["drop-recipient"], members: [] },
      session: newSession("of bo", "bo"),
      at,
      actor,
    })
    const rows = await rowsOf(source)
    const kept = rows.filter(({ table }) => table === "events" || table === "deliveries")
    assert.deepEqual(
      kept.flatMap(({ row }) => (row["tenant_id"] == null ? [row["kind"]] : [])),
      ["import.failed", "import.failed"],
    )
    assert.equal(rows.filter(({ table }) => table === "attempts").length, 1)

    const target = await to()
    const put = await target.copy()
    await put.restore(each(rows))
    await assert.rejects(put.restore(each(rows)), RecordsError)
    await put.close()
    assert.deepEqual(await rowsOf(target), rows)

    const after = await target.open()
    await assert.rejects(after.checkKeyCheckValue("another"))
    assert.deepEqual(await after.tenants(), await before.tenants())
    assert.deepEqual(await after.keys(), await before.keys())
    assert.deepEqual(await after.personById("ana"), await before.personById("ana"))
    assert.deepEqual(await after.members(tenantId), await before.members(tenantId))
    const known = await after.personByOutsideAccount(outside)
    assert.deepEqual(known, await before.personByOutsideAccount(outside))
    assert.equal(known?.person.id, "bo")
    // A link that was used after the backup must not come back to life.
    assert.deepEqual(await after.invitations({ tenantId: null, at }), [])
    assert.deepEqual(await after.sessionsOf("ana"), [])
    const versions = await after.policies({ tenantId, limit: 9 })
    assert.deepEqual(versions, await before.policies({ tenantId, limit: 9 }))
    assert.equal(versions[0]?.revertedTo, 1)
    assert.deepEqual(await after.shadow({ tenantId }), await before.shadow({ tenantId }))
    assert.deepEqual(await after.feedbackOf(acme), await before.feedbackOf(acme))
    const reviews = { tenantId, filter: {}, limit: 9 }
    assert.equal((await after.reviews(reviews)).length, 2)
    assert.deepEqual(await after.reviews(reviews), await before.reviews(reviews))
    const due = { at, limit: 9 }
    assert.equal((await after.dueWatchItems(due)).length, 2)
    assert.deepEqual(await after.dueWatchItems(due), await before.dueWatchItems(due))
    assert.deepEqual(await after.watchedBatches(), [{ ...batch, removed: false }])
    const domains = await after.domainWatches({ tenantId })
    assert.equal(domains.length, 1)
    assert.deepEqual(domains, await before.domainWatches({ tenantId }))
    assert.deepEqual(await after.setWatchPolicies([{ tenantId, policy: "p1" }]), [])
    for (const list of ["reviews", "decisions"] as const) {
      const views = await after.views({ tenantId, list, owner: actor })
      assert.equal(views.length, 1)
      assert.deepEqual(views, await before.views({ tenantId, list, owner: actor }))
    }
    assert.deepEqual(await after.spendProviderCost("2026-03-01", [spend], 14), [false])
    assert.deepEqual(await after.addEvidence(sent, null), { state: "taken", outcomes: ["known"] })
    const dueOf = async (records: Records): Promise<unknown> =>
      await records.dueEvidence({ owner: "shared", identities: 9 })
    assert.deepEqual(await after.evidenceAfter({ after: null, identities: 9 }), [
      { ...line, owner: "shared", keyId: null, receivedAt: at },
    ])
    assert.deepEqual(await dueOf(after), await dueOf(before))
    const next = await after.createTenant({ name: "next", plan: "free", at, actor })
    assert.ok(next.id > Math.max(...(await before.tenants()).map(({ id }) => id)))
    await after.createKey(newKey("k9", { tenantId: next.id }))
    await Promise.all([before.close(), after.close()])
  })
}

async function rowsOf(database: CopiedDatabase): Promise<CopiedRow[]> {
  const rows: CopiedRow[] = []
  const copy = await database.copy()
  await copy.rows((row) => void rows.push(row))
  await copy.close()
  return rows
}

async function* each(rows: readonly CopiedRow[]): AsyncGenerator<CopiedRow> {
  yield* rows
}
