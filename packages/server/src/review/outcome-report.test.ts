import assert from "node:assert/strict"
import { test } from "node:test"
import { bandOf, wilsonInterval } from "@assay/core/score"
import { newDecisionId } from "@assay/stores/decision-id"
import fc from "fast-check"
import { CALIBRATION_CASES_MIN, CASES_MIN, caseReport, type OutcomeCase } from "./outcome-report.ts"

const at = Date.UTC(2026, 2, 10)

function cases(count: number, change: Partial<OutcomeCase> = {}): OutcomeCase[] {
  return Array.from({ length: count }, () => ({
    id: newDecisionId(at),
    at,
    identityType: "email",
    action: "block",
    score: 85,
    p: 0.75,
    bad: true,
    by: "analysts",
    ...change,
  }))
}

test("shares, intervals and the calibration error are those counted by hand", () => {
  const all = [
    ...cases(60, { score: 85, p: 0.75, bad: true }),
    ...cases(20, { score: 85, p: 0.75, bad: false }),
    ...cases(5, { score: 30, p: 0.25, action: "review", bad: true }),
    ...cases(15, { score: 30, p: 0.25, action: "review", bad: false }),
    ...cases(20, { score: 35, p: 0.5, action: "review", bad: false, at: at + 31 * 86_400_000 }),
  ]
  const { groups, calibration, drift } = caseReport(all)
  assert.deepEqual(groups, [
    {
      ...{ subject: "email", band: "critical", action: "block", cases: 80, bad: 60 },
      ...{ share: 0.75, interval: wilsonInterval(60, 80) },
    },
    {
      ...{ subject: "email", band: "elevated", action: "review", cases: 40, bad: 5 },
      ...{ share: 0.125, interval: wilsonInterval(5, 40) },
    },
  ])
  const [ofEmail] = calibration
  // Only the bucket from 30 to 39 is off: 40 cases promise 15 bad ones and have 5.
  assert.equal(ofEmail?.error, 10 / 120)
  assert.deepEqual(
    ofEmail.buckets.map(({ from, to, cases: count, predicted }) => [from, to, count, predicted]),
    [
      [30, 39, 40, 0.375],
      [80, 89, 80, 0.75],
    ],
  )
  assert.deepEqual(
    drift.map(({ month, cases: count, share, predicted }) => [month, count, share, predicted]),
    [
      ["2026-03", 100, 0.65, 0.65],
      ["2026-04", 20, 0, 0.5],
    ],
  )
})

test("of too few cases there is no share, and of too few promises no error", () => {
  const few = caseReport(cases(CASES_MIN - 1))
  assert.deepEqual(
    few.groups.map(({ cases: count, share, interval }) => [count, share, interval]),
    [[CASES_MIN - 1, null, null]],
  )
  assert.equal(few.calibration[0]?.buckets[0]?.predicted, null)
  assert.equal(few.drift[0]?.share, null)
  assert.equal(caseReport(cases(CASES_MIN)).groups[0]?.share, 1)
  assert.equal(caseReport(cases(CALIBRATION_CASES_MIN - 1)).calibration[0]?.error, null)
  assert.equal(caseReport(cases(CALIBRATION_CASES_MIN)).calibration[0]?.error, 0.25)
  // Scores of a model that is not loaded promise nothing.
  const [gone] = caseReport(cases(CALIBRATION_CASES_MIN, { p: null })).calibration
  assert.deepEqual([gone?.cases, gone?.error, gone?.buckets], [0, null, []])
})

test("every case is counted once in each part, and no share leaves its interval", () => {
  const anyCase = fc.record({
    score: fc.integer({ min: 0, max: 100 }),
    bad: fc.boolean(),
    identityType: fc.constantFrom("email" as const, "phone" as const),
    action: fc.constantFrom("allow", "step_up_auth", "review", "block"),
    p: fc.double({ min: 0, max: 1, noNaN: true }),
    at: fc.integer({ min: at, max: at + 200 * 86_400_000 }),
  })
  fc.assert(
    fc.property(fc.array(anyCase, { maxLength: 150 }), (drawn) => {
      const all = drawn.flatMap((each) => cases(1, each))
      const { groups, calibration, drift } = caseReport(all)
      const bad = all.filter((each) => each.bad).length
      for (const part of [groups, calibration, drift]) {
        assert.equal(
          part.reduce((sum, each) => sum + each.cases, 0),
          all.length,
        )
        assert.equal(
          part.reduce((sum, each) => sum + each.bad, 0),
          bad,
        )
      }
      for (const { band, action, subject, cases: count, share, interval } of groups) {
        const own = all.filter(
          (each) =>
            bandOf(each.score) === band && each.action === action && each.identityType === subject,
        )
        assert.equal(own.length, count)
        if (share !== null && interval !== null)
          assert.ok(interval[0] <= share && share <= interval[1])
      }
      for (const { error } of calibration) assert.ok(error === null || (error >= 0 && error <= 1))
    }),
    { seed: 20_261_121, numRuns: 200 },
  )
})
