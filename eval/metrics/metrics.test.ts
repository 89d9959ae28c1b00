import assert from "node:assert/strict"
import { test } from "node:test"
import { rocAuc, type Outcome } from "@assay/core/score"
import fc from "fast-check"
import { Random } from "../random.ts"
import { aucInterval } from "./auc-interval.ts"
import { averagePrecision } from "./average-precision.ts"
import { topLift } from "./lift.ts"
import { rocCurve } from "./roc-curve.ts"

const outcomes = (...rows: [p: number, bad: 0 | 1][]): Outcome[] =>
  rows.map(([p, bad]) => ({ p, bad: bad === 1 }))

const close = (actual: number | null | undefined, expected: number, within = 1e-12): void => {
  assert.ok(actual != null && Math.abs(actual - expected) <= within, `${actual}, not ${expected}`)
}

const anyOutcomes = fc
  .array(fc.record({ p: fc.integer({ min: 0, max: 20 }).map((n) => n / 20), bad: fc.boolean() }), {
    minLength: 2,
    maxLength: 50,
  })
  .filter((rows) => rows.some(({ bad }) => bad) && rows.some(({ bad }) => !bad))
const PROPERTY = { seed: 20_261_102, numRuns: 500 }

test("average precision is that computed by hand, ties taken together", () => {
  const rows = outcomes([0.1, 0], [0.4, 0], [0.35, 1], [0.8, 1])
  close(averagePrecision(rows), 0.5 * 1 + 0.5 * (2 / 3))
  close(averagePrecision(outcomes([0.5, 0], [0.5, 1], [0.5, 0], [0.5, 0])), 0.25)
  close(averagePrecision(outcomes([0.9, 1], [0.8, 1], [0.1, 0])), 1)
  assert.equal(averagePrecision(outcomes([0.9, 0])), null)
})

test("the lift of the top share is that computed by hand, and ties are shared out", () => {
  const rows = outcomes([0.9, 1], [0.8, 0], ...new Array<[number, 0 | 1]>(18).fill([0.1, 0]))
  close(topLift(rows, 0.1), 10)
  close(topLift(outcomes([0.5, 1], [0.5, 0], [0.5, 0], [0.5, 0]), 0.25), 1)
  close(topLift(outcomes([0.9, 0], [0.5, 1], [0.5, 0], [0.1, 0]), 0.5), 1)
  close(topLift(rows, 1), 1)
  assert.equal(topLift(outcomes([0.9, 0]), 0.1), null)
})

test("the ROC curve runs from nothing to everything, never falls, and encloses the area", () => {
  fc.assert(
    fc.property(anyOutcomes, (rows) => {
      const curve = rocCurve(rows, 4_001)
      assert.deepEqual(curve.at(-1), [1, 1])
      assert.equal(curve[0]?.[0], 0)
      let area = 0
      curve.forEach(([x, y], i) => {
        const [leftX, leftY] = curve[i - 1] ?? [0, 0]
        assert.ok(x >= leftX && y >= leftY - 1e-12)
        area += ((x - leftX) * (y + leftY)) / 2
      })
      close(area, rocAuc(rows) ?? NaN, 0.002)
    }),
    PROPERTY,
  )
})

test("a perfect flag has the corner of its ROC curve at the top left", () => {
  const curve = rocCurve(outcomes([1, 1], [1, 1], [0, 0], [0, 0]), 3)
  assert.deepEqual(curve, [
    [0, 1],
    [0.25, 1],
    [1, 1],
  ])
})

test("the interval of the area is DeLong's, computed by hand for five rows", () => {
  // Bad 0.8 and 0.35, good 0.1, 0.4 and 0.2: shares beaten 1 and 2/3; of the good 1, 1/2 and 1.
  const found = aucInterval(outcomes([0.8, 1], [0.35, 1], [0.1, 0], [0.4, 0], [0.2, 0]))
  const spread = 1 / 18 / 2 + 1 / 12 / 3
  close(found?.auc, 5 / 6)
  close(found?.low, 5 / 6 - 1.959964 * Math.sqrt(spread))
  close(found?.high, 1)
  assert.equal(aucInterval(outcomes([0.8, 1], [0.1, 0], [0.2, 0])), null)
})

test("the interval is about as wide as resampling the rows says", () => {
  const random = new Random(7, 7)
  const rows = Array.from({ length: 400 }, (): Outcome => {
    const bad = random.chance(0.3)
    return { p: random.share() * (bad ? 1 : 0.7), bad }
  })
  const areas = Array.from({ length: 1_000 }, () => {
    const drawn = rows.map(() => rows[random.below(rows.length)] as Outcome)
    return rocAuc(drawn) ?? NaN
  }).sort((one, other) => one - other)
  const found = aucInterval(rows)
  close(found?.low, areas[25] ?? NaN, 0.015)
  close(found?.high, areas[974] ?? NaN, 0.015)
})

test("the area, its precision and its lift do not depend on the order of rows", () => {
  fc.assert(
    fc.property(anyOutcomes, (rows) => {
      const turned = rows.toReversed()
      close(averagePrecision(turned), averagePrecision(rows) ?? NaN)
      close(topLift(turned, 0.1), topLift(rows, 0.1) ?? NaN)
      assert.deepEqual(rocCurve(turned, 11), rocCurve(rows, 11))
    }),
    PROPERTY,
  )
})
