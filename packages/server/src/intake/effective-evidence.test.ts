import assert from "node:assert/strict"
import { test } from "node:test"
import { FEEDBACK_OUTCOMES, type FeedbackOutcome } from "@assay/core/contract"
import fc from "fast-check"
import { DAY_MS } from "@assay/runtime/time"
import { effectiveEvidence } from "./effective-evidence.ts"

const now = Date.UTC(2026, 10, 14, 15)

type Report = Parameters<typeof effectiveEvidence>[0][number]

function report(outcome: FeedbackOutcome, daysAgo = 0, changes: Partial<Report> = {}): Report {
  return {
    outcome,
    identityType: "email",
    occurredAt: now - daysAgo * DAY_MS,
    aliasTag: 0,
    loss: null,
    expiresAt: null,
    undoneAt: null,
    ...changes,
  }
}

/** Kinds in force with their ages in days, in the order of their names. */
function inForce(...reports: Report[]): string[] {
  return effectiveEvidence(reports, now)
    .map(({ kind, occurredAt }) => `${kind} ${(now - occurredAt) / DAY_MS}`)
    .sort()
}

test("each outcome says what it is worth, dated when it happened", () => {
  assert.deepEqual(inForce(), [])
  assert.deepEqual(inForce(report("fraud_confirmed", 3)), ["fraud_confirmed 3"])
  assert.deepEqual(inForce(report("takeover_confirmed", 3)), ["attack 3"])
  assert.deepEqual(inForce(report("takeover_confirmed", 3, { loss: 0 })), ["attack 3"])
  assert.deepEqual(inForce(report("takeover_confirmed", 3, { loss: 0.01 })), [
    "attack 3",
    "monetized 3",
  ])
  // A loss by the owner's own fraud is no takeover turned into money.
  assert.deepEqual(inForce(report("fraud_confirmed", 3, { loss: 9 })), ["fraud_confirmed 3"])
  assert.deepEqual(inForce(report("credential_rotated", 3)), ["credential_rotated 3"])
  assert.deepEqual(inForce(report("ownership_verified", 3)), ["ownership_verified 3"])
  assert.deepEqual(inForce(report("not_fraud", 3)), ["good_history 3"])
  assert.deepEqual(inForce(report("clear", 3)), [])
})

test("of a phone number fraud and takeover are reported, ownership proved, and good history is not kept", () => {
  const phone = { identityType: "phone" as const, loss: 5 }
  assert.deepEqual(inForce(report("fraud_confirmed", 3, phone)), ["fraud_report 3"])
  assert.deepEqual(inForce(report("takeover_confirmed", 3, phone)), ["takeover_confirmed 3"])
  assert.deepEqual(inForce(report("ownership_verified", 3, phone)), ["ownership_verified 3"])
  const words = [report("fraud_confirmed", 3, phone), report("not_fraud", 1, phone)]
  assert.deepEqual(inForce(...words), [])
})

test("a number that was taken over is in the wrong hands until its owner proves it, to the moment", () => {
  const phone = { identityType: "phone" as const }
  const taken = report("takeover_confirmed", 3, phone)
  const proved = (daysAgo: number): Report => report("ownership_verified", daysAgo, phone)
  assert.deepEqual(inForce(taken, proved(4)), ["ownership_verified 4", "takeover_confirmed 3"])
  assert.deepEqual(inForce(taken, proved(3)), ["ownership_verified 3", "takeover_confirmed 3"])
  const soonAfter = { ...proved(3), occurredAt: taken.occurredAt + 1 }
  assert.equal(inForce(taken, soonAfter).length, 1)
  assert.deepEqual(inForce(proved(2), taken), ["ownership_verified 2"])
  assert.deepEqual(inForce(taken, report("ownership_verified", 2, { ...phone, undoneAt: now })), [
    "takeover_confirmed 3",
  ])
  const fraud = report("fraud_confirmed", 3, phone)
  assert.deepEqual(inForce(fraud, proved(2)), ["fraud_report 3", "ownership_verified 2"])
  assert.deepEqual(inForce(taken, report("not_fraud", 1, phone)), [])
  assert.deepEqual(inForce(taken, proved(4), report("clear", 1, phone)), [])
})

test("not_fraud takes back every label received before it, whenever it happened, and no proof", () => {
  assert.deepEqual(
    inForce(
      report("fraud_confirmed", 1),
      report("takeover_confirmed", 1, { loss: 5 }),
      report("ownership_verified", 9),
      report("credential_rotated", 8),
      report("not_fraud", 5),
    ),
    ["credential_rotated 8", "good_history 5", "ownership_verified 9"],
  )
})

test("good history begins with the first not_fraud, and a later fraud ends it; a takeover does not", () => {
  const twice = [report("not_fraud", 40), report("not_fraud", 200), report("not_fraud", 1)]
  assert.deepEqual(inForce(...twice), ["good_history 200"])
  assert.deepEqual(inForce(...twice, report("fraud_confirmed", 300)), ["fraud_confirmed 300"])
  assert.deepEqual(inForce(...twice, report("takeover_confirmed", 2)), [
    "attack 2",
    "good_history 200",
  ])
  assert.deepEqual(inForce(...twice, report("fraud_confirmed"), report("not_fraud", 7)), [
    "good_history 7",
  ])
})

test("clear takes back everything before it and nothing after", () => {
  const before = FEEDBACK_OUTCOMES.map((outcome) => report(outcome, 2))
  assert.deepEqual(inForce(...before, report("clear"), report("ownership_verified", 4)), [
    "ownership_verified 4",
  ])
})

test("what was undone or has expired is as if it had never been: what it took back returns", () => {
  const label = report("fraud_confirmed", 3)
  for (const outcome of ["not_fraud", "clear"] as const) {
    assert.notDeepEqual(inForce(label, report(outcome)), inForce(label))
    for (const ended of [{ undoneAt: now - 1 }, { expiresAt: now }, { expiresAt: now - 1 }])
      assert.deepEqual(inForce(label, report(outcome, 0, ended)), ["fraud_confirmed 3"])
    assert.deepEqual(
      inForce(label, report(outcome, 0, { expiresAt: now + 1 })),
      inForce(label, report(outcome)),
    )
  }
})

test("of each kind the newest by alias and the oldest are kept, however often it is reported", () => {
  const repeated = Array.from({ length: 200 }, (_, day) => report("fraud_confirmed", day))
  assert.deepEqual(inForce(...repeated), ["fraud_confirmed 0", "fraud_confirmed 199"])
  const aliases = [
    report("takeover_confirmed", 5, { aliasTag: 7 }),
    report("takeover_confirmed", 3, { aliasTag: 7 }),
    report("takeover_confirmed", 4),
  ]
  assert.deepEqual(inForce(...aliases), ["attack 3", "attack 4", "attack 5"])
})

test("any sequence: passing over a word equals never having sent it, and clear leaves nothing", () => {
  const anyReport = fc.record({
    outcome: fc.constantFrom(...FEEDBACK_OUTCOMES),
    identityType: fc.constant("email" as const),
    occurredAt: fc.integer({ min: 0, max: 900 }).map((days) => now - days * DAY_MS),
    aliasTag: fc.nat(2),
    loss: fc.option(fc.nat(9)),
    expiresAt: fc.option(fc.constantFrom(now - DAY_MS, now, now + DAY_MS)),
    undoneAt: fc.option(fc.constant(now - DAY_MS), { freq: 3 }),
  })
  fc.assert(
    fc.property(fc.array(anyReport, { maxLength: 20 }), (reports) => {
      const all = effectiveEvidence(reports, now)
      const acting = reports.filter(
        ({ undoneAt, expiresAt }) => undoneAt === null && (expiresAt ?? Infinity) > now,
      )
      assert.deepEqual(effectiveEvidence(acting, now), all)
      assert.deepEqual(effectiveEvidence([...reports, report("clear")], now), [])
      const kinds = new Set(all.map(({ kind }) => kind))
      // Never both: a label of fraud and the good history that its end began.
      assert.ok(!(kinds.has("fraud_confirmed") && kinds.has("good_history")))
      const lastClear = acting.findLastIndex(({ outcome }) => outcome === "clear")
      assert.deepEqual(effectiveEvidence(acting.slice(lastClear + 1), now), all)
    }),
    { seed: 31, numRuns: 2_000 },
  )
})
