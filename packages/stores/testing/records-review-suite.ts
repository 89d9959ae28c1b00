import assert from "node:assert/strict"

import { firstDecisionIdAt } from "../src/decision-id.ts"
import { derivedEventId } from "../src/event-id.ts"
import type { NewEvent } from "../src/records-events.ts"
import type { NewReview, Review, ReviewFilter } from "../src/records-reviews.ts"
import { event } from "./records-events-suite.ts"
import { tenants } from "./records-feedback-suite.ts"
import {
  hashOf,
  refusedAs,
  testsOnRecords,
  type Openings,
  type TestDatabase,
} from "./records-suite.ts"

const at = Date.UTC(2026, 2, 1, 12)
const MINUTE_MS = 60_000
const actor = "key:k1"
const alice = hashOf("alice").slice(0, 16)
const bob = hashOf("bob").slice(0, 16)

/** The id of a decision that was made this many minutes after `at`. */
const idAt = (minute: number): string => firstDecisionIdAt(at + minute * MINUTE_MS)

export function review(
  tenantId: number,
  minute: number,
  changes: Partial<NewReview> = {},
): NewReview {
  return {
    id: idAt(minute),
    tenantId,
    keyId: "k1",
    identityKey: alice,
    identityType: "email",
    action: "review",
    stage: "TRADED",
    score: 66,
    modelVersion: "1.1",
    reasons: ["DW_LISTED", "CRED_BREACH"],
    ref: null,
    ...changes,
  }
}

const receipts = (count: number): { id: string; receivedAt: number }[] =>
  Array.from({ length: count }, (_, n) => ({ id: `fb_${n}`, receivedAt: at + n }))

const minutes = (found: readonly Review[]): number[] =>
  found.map((each) => (each.at - at) / MINUTE_MS)

/** What waits for analysts, and what they make of it. */
export function recordsReviewSuite(engine: string, newDatabase: () => Promise<TestDatabase>): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords("a decision enters once, and stays decided when it comes again", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    const many = Array.from({ length: 1_201 }, (_, n) => review(tenantId, n))
    await records.addReviews([])
    await records.addReviews(many)
    await records.decideReviews({
      ...{ tenantId, at, actor, which: { id: idAt(0) }, receipts: receipts(1) },
      ...{ outcome: "genuine", note: "known customer" },
    })
    await records.addReviews(many)
    const decided = await records.review({ id: idAt(0), tenantId })
    assert.deepEqual(decided, {
      ...review(tenantId, 0),
      ...{ at, assignee: null, outcome: "genuine", note: "known customer" },
      ...{ decidedAt: at, decidedBy: actor, feedbackId: "fb_0" },
    })
    const waiting = { tenantId, filter: { state: "waiting" }, limit: 5_000 } as const
    assert.equal((await records.reviews(waiting)).length, 1_200)
  })

  onRecords("what waits is told with it, all or none, and once", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    const after = await records.newestEvent()
    const told = (n: number): NewEvent =>
      event(tenantId, { id: derivedEventId(["decision.review", idAt(n)]), kind: "decision.review" })
    for (let times = 0; times < 2; times++)
      await records.addReviews([review(tenantId, 0), review(tenantId, 1)], [told(0), told(1)])
    await records.addReviews([], [told(2)])
    const failing = [told(3), event(4711)]
    await assert.rejects(records.addReviews([review(tenantId, 3)], failing), refusedAs("not-found"))
    const page = await records.eventsAfter({ tenantId, after, limit: 10 })
    assert.deepEqual(
      page.map(({ id }) => id),
      [told(0).id, told(1).id, told(2).id],
    )
    const waiting = { tenantId, filter: { state: "waiting" }, limit: 10 } as const
    assert.equal((await records.reviews(waiting)).length, 2)
  })

  onRecords("reviews are listed by page and by every filter", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    await records.addReviews([
      review(tenantId, 0),
      review(tenantId, 1, { action: "block", score: 90, stage: "ATTACKED" }),
      review(tenantId, 2, { identityType: "phone", stage: null, reasons: ["SIM_CHANGED"] }),
      review(tenantId, 3, { reasons: [], ref: "order 17" }),
      review(other.tenantId, 4, { keyId: "k2" }),
    ])
    await records.assignReviews({
      ...{ tenantId, at, actor, which: { id: idAt(2) }, assignee: "key:k9" },
    })
    await records.decideReviews({
      ...{ tenantId, at, actor, which: { id: idAt(3) }, receipts: receipts(1) },
      ...{ outcome: "cannot_tell", note: null },
    })
    const listed = async (filter: ReviewFilter): Promise<number[]> =>
      minutes(await records.reviews({ tenantId, filter, limit: 9 }))
    const cases: [ReviewFilter, number[]][] = [
      [{}, [3, 2, 1, 0]],
      [{ state: "waiting" }, [2, 1, 0]],
      [{ state: "decided" }, [3]],
      [{ outcome: "cannot_tell" }, [3]],
      [{ outcome: "genuine" }, []],
      [{ action: "block" }, [1]],
      [{ identityType: "phone" }, [2]],
      [{ stage: "TRADED" }, [3, 0]],
      [{ scores: [80, 100] }, [1]],
      [{ scores: [60, 79] }, [3, 2, 0]],
      [{ reason: "DW_LISTED" }, [1, 0]],
      [{ reason: "CRED_BREACH" }, [1, 0]],
      // Neither a part of a code nor a pattern is one.
      [{ reason: "CRED" }, []],
      [{ reason: "DW%LISTED" }, []],
      [{ reason: "DW_LISTE_" }, []],
      [{ assignee: "key:k9" }, [2]],
      [{ assignee: null }, [3, 1, 0]],
      [{ from: at + MINUTE_MS }, [3, 2, 1]],
      [{ until: at + MINUTE_MS }, [0]],
      [{ from: -5, until: -4 }, []],
      [{ upTo: idAt(1) }, [1, 0]],
      [{ state: "waiting", stage: "TRADED", reason: "DW_LISTED", assignee: null }, [0]],
    ]
    for (const [filter, expected] of cases)
      assert.deepEqual(await listed(filter), expected, JSON.stringify(filter))
    const page = await records.reviews({ tenantId, filter: {}, before: idAt(3), limit: 2 })
    assert.deepEqual(minutes(page), [2, 1])
    assert.equal((await records.review({ id: idAt(3), tenantId }))?.ref, "order 17")
    assert.equal(await records.review({ id: idAt(4), tenantId }), null)
    assert.equal(await records.review({ id: idAt(5), tenantId }), null)
  })

  onRecords("an outcome is feedback, and undoing it takes that back", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    await records.addReviews([review(tenantId, 0), review(tenantId, 1, { identityKey: bob })])
    const change = { tenantId, at: at + 5, actor, which: { id: idAt(0) } }
    const fraud = { ...change, outcome: "confirmed_fraud", note: "chargeback" } as const
    // Another tenant's id changes nothing.
    const foreign = { ...fraud, tenantId: other.tenantId, receipts: receipts(1) }
    assert.deepEqual(await records.decideReviews(foreign), [])
    const [decided] = await records.decideReviews({ ...fraud, receipts: receipts(1) })
    assert.equal(decided?.feedbackId, "fb_0")
    assert.deepEqual(decided, await records.review({ id: idAt(0), tenantId }))
    const [reported, ...more] = await records.feedbackOf({ tenantId, identityKey: alice })
    assert.deepEqual(more, [])
    assert.equal(reported?.outcome, "fraud_confirmed")
    assert.equal(reported.occurredAt, at)
    assert.deepEqual(await records.dueFeedback({ at: at + 9, limit: 9 }), [
      { tenantId, identityKey: alice },
    ])
    // The second one to decide changes nothing, whatever they found.
    const second = { ...fraud, outcome: "genuine", actor: "key:k7", receipts: receipts(2) } as const
    assert.deepEqual(await records.decideReviews(second), [])
    assert.equal((await records.feedbackOf({ tenantId, identityKey: alice })).length, 1)

    const [undone] = await records.undoReviews({ ...change, at: at + 20 })
    assert.ok(undone)
    assert.deepEqual(undone, await records.review({ id: idAt(0), tenantId }))
    assert.deepEqual([undone.outcome, undone.note, undone.feedbackId], [null, null, null])
    const [taken] = await records.feedbackOf({ tenantId, identityKey: alice })
    assert.equal(taken?.undoneAt, at + 20)
    assert.deepEqual(await records.undoReviews({ ...change, at: at + 30 }), [])
    assert.deepEqual(await records.feedbackOf({ tenantId, identityKey: bob }), [])

    const entries = (await records.audit({ limit: 2 })).map(({ action, subject, detail }) => ({
      action,
      subject,
      detail,
    }))
    assert.deepEqual(entries, [
      { action: "review.undo", subject: `decision:${idAt(0)}`, detail: { tenant: tenantId } },
      {
        action: "review.decide",
        subject: `decision:${idAt(0)}`,
        detail: { tenant: tenantId, outcome: "confirmed_fraud" },
      },
    ])
    assert.ok(!JSON.stringify(await records.audit({ limit: 99 })).includes("chargeback"))
  })

  onRecords(
    "a change over a filter takes the oldest, and repeating it the rest",
    async (openings) => {
      const { records } = openings
      const { tenantId } = (await tenants(openings)).acme
      await records.addReviews(
        [0, 1, 2, 3, 4].map((n) => review(tenantId, n, n === 2 ? { action: "block" } : {})),
      )
      const which = { filter: { state: "waiting", action: "review" }, limit: 3 } as const
      const decision = { tenantId, at, actor, which, outcome: "genuine", note: null } as const
      const first = await records.decideReviews({ ...decision, receipts: receipts(3) })
      assert.deepEqual(minutes(first), [0, 1, 3])
      const later = receipts(6).slice(3)
      const rest = await records.decideReviews({ ...decision, receipts: later })
      assert.deepEqual(minutes(rest), [4])
      assert.deepEqual(await records.decideReviews({ ...decision, receipts: receipts(9) }), [])
      assert.equal((await records.feedbackOf({ tenantId, identityKey: alice })).length, 4)
      const [entry] = await records.audit({ limit: 1 })
      assert.deepEqual(entry?.detail, { outcome: "genuine", count: 1, decisions: [idAt(4)] })

      const mine = { tenantId, at, actor, assignee: "key:k1", which: { filter: {}, limit: 9 } }
      assert.equal((await records.assignReviews(mine)).length, 5)
      assert.deepEqual(await records.assignReviews(mine), [])
      const undoing = {
        tenantId,
        at,
        actor,
        which: { filter: { outcome: "genuine" }, limit: 9 },
      } as const
      assert.equal((await records.undoReviews(undoing)).length, 4)
    },
  )

  onRecords("of changes at once one wins", async ({ open, ...openings }) => {
    const { records } = openings
    const { tenantId } = (await tenants({ open, ...openings })).acme
    await records.addReviews([review(tenantId, 0)])
    const writers = [records, await open(), await open()]
    const won = await Promise.all(
      writers.flatMap((writer, place) =>
        [0, 1, 2].map((n) =>
          writer.decideReviews({
            ...{ tenantId, at, actor: `key:${place}-${n}`, which: { id: idAt(0) } },
            ...{ outcome: "confirmed_fraud", note: null },
            receipts: [{ id: `fb_${place}-${n}`, receivedAt: at }],
          }),
        ),
      ),
    )
    const [winner, ...others] = won.flat()
    assert.deepEqual(others, [])
    assert.deepEqual(winner, await records.review({ id: idAt(0), tenantId }))
    assert.equal((await records.feedbackOf({ tenantId, identityKey: alice })).length, 1)
  })

  onRecords("an outcome whose feedback cannot be kept changes nothing", async (openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    await records.addReviews([review(tenantId, 0, { keyId: "k-unknown" })])
    const decision = { tenantId, at, actor, which: { id: idAt(0) }, note: null } as const
    await assert.rejects(
      records.decideReviews({ ...decision, outcome: "genuine", receipts: receipts(1) }),
      refusedAs("not-found"),
    )
    assert.equal((await records.review({ id: idAt(0), tenantId }))?.outcome, null)
    assert.ok((await records.audit({ limit: 9 })).every(({ action }) => action !== "review.decide"))
  })

  onRecords("reviews age out, and go with the person they are about", async (openings) => {
    const { records } = openings
    const { acme, other } = await tenants(openings)
    const { tenantId } = acme
    await records.addReviews([
      review(tenantId, 0),
      review(tenantId, 1),
      review(tenantId, 2, { identityKey: bob }),
      review(other.tenantId, 3, { keyId: "k2" }),
      review(other.tenantId, 9, { keyId: "k2" }),
    ])
    assert.equal(await records.forgetReviews(at + MINUTE_MS), 1)
    assert.equal(await records.forgetReviews(-1), 0)
    assert.deepEqual(minutes(await records.reviewsOn(alice, null)), [9, 3, 1])
    assert.deepEqual(minutes(await records.reviewsOn(alice, tenantId)), [1])
    const erasure = { identityKey: alice, upTo: at + 3 * MINUTE_MS }
    assert.equal(await records.eraseReviews({ ...erasure, tenantId }), 1)
    assert.equal(await records.eraseReviews({ ...erasure, tenantId: null }), 1)
    assert.deepEqual(minutes(await records.reviewsOn(alice, null)), [9])
    assert.deepEqual(minutes(await records.reviewsOn(bob, null)), [2])
    await records.eraseSubject({
      ...{ identityKey: alice, identityType: "email", tenantId: null, at: at + 9 * MINUTE_MS },
      ...{ reason: "subject_request", reference: null, actor },
    })
    assert.deepEqual(await records.reviewsOn(alice, null), [])
    await records.eraseAgain({ identityKey: bob, erasedAt: at + 2 * MINUTE_MS })
    assert.deepEqual(await records.reviewsOn(bob, null), [])
  })

  onRecords("feedback since a moment is what was not undone", async (openings: Openings) => {
    const { records } = openings
    const { tenantId } = (await tenants(openings)).acme
    await records.addReviews([0, 1, 2].map((n) => review(tenantId, n)))
    for (const n of [0, 1, 2])
      await records.decideReviews({
        ...{ tenantId, at, actor, which: { id: idAt(n) }, outcome: "genuine", note: null },
        receipts: [{ id: `fb_${n}`, receivedAt: at + n }],
      })
    await records.undoReviews({ tenantId, at, actor, which: { id: idAt(1) } })
    const since = async (from: number, limit = 9): Promise<string[]> =>
      (await records.feedbackSince({ tenantId, from, limit })).map(({ id }) => id)
    assert.deepEqual(await since(at), ["fb_2", "fb_0"])
    assert.deepEqual(await since(at + 1), ["fb_2"])
    assert.deepEqual(await since(at, 1), ["fb_2"])
    assert.deepEqual(await records.feedbackSince({ tenantId: tenantId + 9, from: 0, limit: 9 }), [])
  })
}
