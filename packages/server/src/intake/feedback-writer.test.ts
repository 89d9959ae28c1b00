import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { FEEDBACK_ID_PATTERN } from "@assay/core/contract"
import type { ExposureIndex, FoundEntry } from "@assay/stores/exposure-index"
import type { Records } from "@assay/stores/records"
import { RecordsError } from "@assay/stores/records-error"
import { FEEDBACK_ROUTE } from "@assay/stores/records-feedback"
import type { IdempotencyClaim } from "@assay/stores/records-idempotency"
import { DAY_MS } from "@assay/runtime/time"
import {
  alice,
  assertOverloaded,
  bob,
  claimOf,
  failing,
  identityKeys,
  newIndex,
  start,
  testStores,
  type TestStores,
  testTenants,
  UNAVAILABLE,
} from "../../testing/intake/test-stores.ts"
import { applyAllFeedback } from "./apply-feedback.ts"
import { type FeedbackReport, type FeedbackWriter, openFeedbackWriter } from "./feedback-writer.ts"

interface Place extends TestStores {
  readonly clock: { ms: number }
  readonly writer: FeedbackWriter
  readonly tenantId: number
  readonly otherId: number
  readonly report: FeedbackReport
  /** Another writer on the same stores, as the next process would open it. */
  reopen(index?: ExposureIndex): Promise<FeedbackWriter>
  kinds(key?: Uint8Array, tenantId?: number | null): Promise<string[]>
}

async function place(t: TestContext): Promise<Place> {
  const { records, index } = await testStores(t)
  const { tenantId, otherId } = await testTenants(records, "free")
  const clock = { ms: start }
  const now = (): number => clock.ms
  return {
    records,
    index,
    clock,
    writer: await openFeedbackWriter({ records, index, now }),
    tenantId,
    otherId,
    report: {
      tenantId,
      keyId: "k1",
      identityKey: alice,
      identityType: "email",
      aliasTag: 0,
      outcome: "fraud_confirmed",
      occurredAt: start,
      loss: null,
      reference: null,
      expiresAt: null,
    },
    reopen: (given = index) => openFeedbackWriter({ records, index: given, now }),
    kinds: async (key = alice, of = tenantId) =>
      (await index.lookup(key, of)).entries.map(({ kind }) => kind).sort(),
  }
}

const claim = (name = "a"): IdempotencyClaim => claimOf(FEEDBACK_ROUTE, name)

async function storedId(writer: FeedbackWriter, report: FeedbackReport): Promise<string> {
  const submission = await writer.submit(report, null)
  assert.ok(submission.state === "stored")
  return submission.id
}

test("what is stored is in the tenant's next lookup and in nobody else's", async (t) => {
  const { writer, report, kinds, otherId, index, tenantId } = await place(t)
  const id = await storedId(writer, report)
  assert.match(id, new RegExp(FEEDBACK_ID_PATTERN))
  assert.deepEqual(await kinds(), ["fraud_confirmed"])
  for (const other of [null, otherId]) assert.deepEqual(await kinds(alice, other), [])
  assert.deepEqual(await kinds(bob), [])
  await storedId(writer, { ...report, outcome: "takeover_confirmed", loss: 5, aliasTag: 9 })
  const { entries, catalogue } = await index.lookup(alice, tenantId)
  const attack = entries.find(({ kind }) => kind === "attack")
  assert.deepEqual([attack?.aliasTag, attack?.hours], [9, Math.floor(start / DAY_MS) * 24])
  const source = catalogue.sources.get(catalogue.batches.get(attack?.batchId ?? 0)?.sourceId ?? 0)
  assert.deepEqual([source?.name, source?.confidence, source?.owner], ["feedback", 0.95, tenantId])
  assert.equal(catalogue.batches.size, 1)
})

test("evidence of a number is dated by the hour, of an address by the day", async (t) => {
  const { writer, report, index, tenantId } = await place(t)
  const occurredAt = start + 40 * 60_000
  await storedId(writer, { ...report, identityType: "phone", occurredAt })
  const [entry] = (await index.lookup(alice, tenantId)).entries
  assert.deepEqual([entry?.kind, entry?.hours], ["fraud_report", start / 3_600_000])
})

test("undoing brings back what the word had taken back, for its own tenant alone, once or twice", async (t) => {
  const { writer, report, kinds, tenantId, otherId } = await place(t)
  await storedId(writer, report)
  const id = await storedId(writer, { ...report, outcome: "clear" })
  assert.deepEqual(await kinds(), [])
  assert.equal(await writer.undo(id, otherId), false)
  assert.deepEqual(await kinds(), [])
  for (let twice = 0; twice < 2; twice++) assert.equal(await writer.undo(id, tenantId), true)
  assert.deepEqual(await kinds(), ["fraud_confirmed"])
  assert.equal(await writer.undo(`fb_${"0".repeat(28)}`, tenantId), false)
})

test("what a process stored and did not get to apply, the next one applies", async (t) => {
  const { records, report, reopen, kinds, tenantId, clock } = await place(t)
  const row = { ...report, id: "fb_1", receivedAt: start }
  await records.addFeedback(row, claim(), '{"id":"fb_1"}')
  assert.deepEqual(await kinds(), [])
  const next = await reopen()
  assert.deepEqual(await next.submit(report, claim()), { state: "running" })
  await next.settleDue()
  assert.deepEqual(await kinds(), ["fraud_confirmed"])
  assert.deepEqual(await next.submit(report, claim()), { state: "stored", id: "fb_1" })
  assert.equal((await records.feedbackOf(report)).length, 1)

  await records.undoFeedback({ id: "fb_1", tenantId, at: clock.ms })
  assert.deepEqual(await kinds(), ["fraud_confirmed"])
  await next.settleDue()
  assert.deepEqual(await kinds(), [])
})

test("feedback is acknowledged when the index has it; if that cannot be noted, it stays due", async (t) => {
  const { index, records, report, kinds, clock } = await place(t)
  let away = true
  const settleFeedback: Records["settleFeedback"] = async (...settled) => {
    if (away) throw new RecordsError("unavailable", "away")
    return await records.settleFeedback(...settled)
  }
  const now = (): number => clock.ms
  const writer = await openFeedbackWriter({ records: { ...records, settleFeedback }, index, now })
  const first = await writer.submit(report, claim())
  assert.equal(first.state, "stored")
  assert.deepEqual(await kinds(), ["fraud_confirmed"])
  await writer.idle()
  assert.equal((await records.dueFeedback({ at: clock.ms, limit: 10 })).length, 1)
  away = false
  await writer.settleDue()
  assert.deepEqual(await records.dueFeedback({ at: clock.ms, limit: 10 }), [])
  assert.deepEqual(await writer.submit(report, claim()), first)
  assert.equal((await records.feedbackOf(report)).length, 1)
})

test("an index that cannot be written is told, and what it missed follows when it is back", async (t) => {
  const { index, report, reopen, kinds, records } = await place(t)
  let away = true
  const writer = await reopen(await failing(index, "restateTenantEvidence", () => away))
  await assert.rejects(writer.submit(report, claim()), UNAVAILABLE)
  await assert.rejects(writer.submit({ ...report, identityKey: bob }, null), UNAVAILABLE)
  assert.deepEqual(await writer.submit(report, claim()), { state: "running" })
  await assert.rejects(writer.settleDue(), UNAVAILABLE)
  away = false
  await writer.settleDue()
  assert.deepEqual(await kinds(), ["fraud_confirmed"])
  assert.deepEqual(await kinds(bob), ["fraud_confirmed"])
  assert.equal((await writer.submit(report, claim())).state, "stored")
  assert.equal((await records.feedbackOf(report)).length, 1)
})

test("feedback ends at its end, and what it had taken back returns then", async (t) => {
  const { writer, report, kinds, clock } = await place(t)
  await storedId(writer, report)
  await storedId(writer, { ...report, outcome: "not_fraud", expiresAt: start + 5000 })
  assert.deepEqual(await kinds(), ["good_history"])
  clock.ms = start + 4999
  await writer.settleDue()
  assert.deepEqual(await kinds(), ["good_history"])
  clock.ms = start + 5000
  await writer.settleDue()
  assert.deepEqual(await kinds(), ["fraud_confirmed"])
})

test("one claim sent many times at once is stored once and answered alike; without one each is stored", async (t) => {
  const { writer, report, records } = await place(t)
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => writer.submit(report, claim())),
  )
  assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
  assert.equal((await records.feedbackOf(report)).length, 1)
  const each = await Promise.all(Array.from({ length: 5 }, () => storedId(writer, report)))
  assert.equal(new Set(each).size, 5)
  assert.equal((await records.feedbackOf(report)).length, 6)
})

test("the order of receipt survives a clock that is put back, also over a restart", async (t) => {
  const { writer, report, reopen, kinds, clock, records } = await place(t)
  await storedId(writer, report)
  clock.ms -= 60_000
  await storedId(writer, { ...report, outcome: "clear" })
  assert.deepEqual(await kinds(), [])
  await storedId(await reopen(), { ...report, outcome: "ownership_verified" })
  assert.deepEqual(await kinds(), ["ownership_verified"])
  const rows = await records.feedbackOf(report)
  assert.deepEqual(
    rows.map(({ outcome }) => outcome),
    ["fraud_confirmed", "clear", "ownership_verified"],
  )
  assert.deepEqual(
    rows.map(({ id }) => id).sort(),
    rows.map(({ id }) => id),
  )
})

test("an index made anew says the same once all feedback is applied to it", async (t) => {
  const { writer, report, records, index, tenantId } = await place(t)
  const outcomes = ["fraud_confirmed", "takeover_confirmed", "not_fraud", "clear"] as const
  const keys = identityKeys(12)
  for (const [n, identityKey] of keys.entries()) {
    for (const outcome of [...outcomes, ...outcomes].slice(0, 1 + (n % 7)))
      await storedId(writer, { ...report, identityKey, outcome, loss: n, occurredAt: start - n })
  }
  const anew = await newIndex(t)
  assert.equal(await applyAllFeedback(records, anew, start), keys.length)
  const said = async (of: ExposureIndex): Promise<(readonly FoundEntry[])[]> =>
    Promise.all(keys.map(async (key) => (await of.lookup(key, tenantId)).entries))
  assert.deepEqual(await said(anew), await said(index))
  assert.ok((await said(anew)).some((entries) => entries.length > 0))
})

test("more reports than can wait are refused before anything is stored", async (t) => {
  const { records, index, report, clock } = await place(t)
  const writer = await openFeedbackWriter({ records, index, now: () => clock.ms, waitingMax: 3 })
  const sent = Array.from({ length: 5 }, () => writer.submit(report, null))
  const outcomes = await Promise.allSettled(sent)
  const refused = outcomes.filter((outcome) => outcome.status === "rejected")
  assert.equal(refused.length, 2)
  for (const { reason } of refused) assertOverloaded(reason)
  assert.equal((await records.feedbackOf(report)).length, 3)
  await storedId(writer, report)
})

test("what ended 90 days ago is forgotten, what still acts is kept, and the index stays as it is", async (t) => {
  const { writer, report, records, kinds, clock, tenantId } = await place(t)
  await storedId(writer, report)
  const undone = await storedId(writer, { ...report, outcome: "ownership_verified" })
  assert.equal(await writer.undo(undone, tenantId), true)
  clock.ms += 89 * DAY_MS
  await writer.forget()
  assert.equal(await writer.undo(undone, tenantId), true)
  clock.ms += 2 * DAY_MS
  await writer.forget()
  assert.equal(await writer.undo(undone, tenantId), false)
  assert.equal((await records.feedbackOf(report)).length, 1)
  assert.deepEqual(await kinds(), ["fraud_confirmed"])
})

test("one tenant's report does not wait behind 600 of another's, and a full queue is its tenant's own", async (t) => {
  const { records, index, report, clock, otherId } = await place(t)
  const writer = await openFeedbackWriter({ records, index, now: () => clock.ms, waitingMax: 500 })
  let stored = 0
  const flood = Array.from({ length: 600 }, () =>
    writer.submit(report, null).then(() => {
      stored++
    }, assertOverloaded),
  )
  const single = await writer.submit({ ...report, tenantId: otherId }, null)
  assert.equal(single.state, "stored")
  assert.ok(stored <= 2, `${stored} others were stored before it`)
  await Promise.all(flood)
  assert.equal(stored, 500)
})

test("a report is acknowledged while the disk still takes another tenant's, and that one's own order stays", async (t) => {
  const { records, index, report, clock, tenantId, otherId } = await place(t)
  const disk = Promise.withResolvers<undefined>()
  const restateTenantEvidence: ExposureIndex["restateTenantEvidence"] = async (of, ...rest) => {
    if (of === tenantId) await disk.promise
    await index.restateTenantEvidence(of, ...rest)
  }
  const slow = { ...index, restateTenantEvidence }
  const writer = await openFeedbackWriter({ records, index: slow, now: () => clock.ms })
  const done: string[] = []
  const waiting = ["first", "second"].map((name) =>
    writer.submit(report, null).then(() => void done.push(name)),
  )
  const other = await writer.submit({ ...report, tenantId: otherId }, null)
  assert.equal(other.state, "stored")
  assert.deepEqual(done, [])
  assert.equal((await records.feedbackOf(report)).length, 1, "its second waits for its first")
  disk.resolve(undefined)
  await Promise.all(waiting)
  assert.deepEqual(done, ["first", "second"])
})
