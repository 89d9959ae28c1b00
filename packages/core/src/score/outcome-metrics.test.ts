import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import {
  brierScore,
  calibrationError,
  equalMassBins,
  logLoss,
  rocAuc,
  wilsonInterval,
  type Outcome,
} from "./outcome-metrics.ts"

const outcomes = (...rows: [p: number, bad: 0 | 1][]): Outcome[] =>
  rows.map(([p, bad]) => ({ p, bad: bad === 1 }))

const close = (actual: number | null, expected: number): void => {
  assert.ok(actual !== null && Math.abs(actual - expected) < 1e-12, `${actual}, not ${expected}`)
}

const anyOutcomes = fc.array(
  fc.record({
    // Few different values, so that ties are the rule.
    p: fc.integer({ min: 1, max: 19 }).map((twentieths) => twentieths / 20),
    bad: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60 },
)
const PROPERTY = { seed: 20_261_102, numRuns: 500 }

test("the Brier score and the log loss of four rows are those computed by hand", () => {
  const rows = outcomes([0.9, 1], [0.2, 0], [0.4, 1], [0.5, 0])
  close(brierScore(rows), (0.01 + 0.04 + 0.36 + 0.25) / 4)
  close(logLoss(rows), -(Math.log(0.9) + Math.log(0.8) + Math.log(0.4) + Math.log(0.5)) / 4)
})

test("perfect certainty costs nothing, and a coin costs a quarter and ln 2", () => {
  close(brierScore(outcomes([1, 1], [0, 0])), 0)
  close(brierScore(outcomes([0.5, 1], [0.5, 0])), 0.25)
  close(logLoss(outcomes([0.5, 1], [0.5, 0])), Math.LN2)
})

test("the area under the ROC curve counts pairs, a tie as a half", () => {
  close(rocAuc(outcomes([0.1, 0], [0.4, 0], [0.35, 1], [0.8, 1])), 0.75)
  close(rocAuc(outcomes([0.5, 0], [0.5, 1])), 0.5)
  close(rocAuc(outcomes([0.5, 0], [0.5, 1], [0.7, 1], [0.1, 0])), 3.5 / 4)
  assert.equal(rocAuc(outcomes([0.5, 1])), null)
  assert.equal(rocAuc([]), null)
})

test("the area is the share of pairs in the right order, counted one by one", () => {
  fc.assert(
    fc.property(anyOutcomes, (rows) => {
      const bad = rows.filter((row) => row.bad)
      const good = rows.filter((row) => !row.bad)
      const wins = bad.flatMap((one) => good.map((two) => (Math.sign(one.p - two.p) + 1) / 2))
      if (wins.length === 0) assert.equal(rocAuc(rows), null)
      else close(rocAuc(rows), wins.reduce((sum, win) => sum + win, 0) / wins.length)
    }),
    PROPERTY,
  )
})

test("the calibration error weighs the gap of each bin by its rows", () => {
  const rows = outcomes([0.1, 0], [0.2, 1], [0.6, 1], [0.8, 1])
  assert.deepEqual(
    equalMassBins(rows, 2).map((bin) => bin.rows),
    [2, 2],
  )
  close(calibrationError(rows, 2), (2 * Math.abs(0.15 - 0.5) + 2 * Math.abs(0.7 - 1)) / 4)
})

test("bins hold every row once, keep ties together and do not depend on the order of rows", () => {
  fc.assert(
    fc.property(anyOutcomes, fc.integer({ min: 1, max: 12 }), (rows, count) => {
      const bins = equalMassBins(rows, count)
      assert.equal(
        bins.reduce((sum, bin) => sum + bin.rows, 0),
        rows.length,
      )
      assert.ok(bins.length <= count && bins.every((bin) => bin.rows > 0))
      bins.forEach((bin, i) => assert.ok(i === 0 || bin.meanP > (bins[i - 1]?.meanP ?? 0)))
      const bad = rows.filter((row) => row.bad).length
      const told = bins.reduce((sum, bin) => sum + bin.rows * bin.badRate, 0)
      assert.ok(Math.abs(bad - told) < 1e-9)
      close(calibrationError(rows, count), calibrationError(rows.toReversed(), count))
    }),
    PROPERTY,
  )
})

test("ties that fill several bins leave fewer bins", () => {
  assert.equal(equalMassBins(outcomes([0.3, 0], [0.3, 1], [0.3, 0], [0.9, 1]), 4).length, 2)
})

test("Wilson's interval has the values of its tables", () => {
  // Newcombe (1998), Two-sided confidence intervals for the single proportion, table I, method 3.
  const known: [bad: number, rows: number, low: number, high: number][] = [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ]
  for (const [bad, rows, low, high] of known)
    assert.deepEqual(
      wilsonInterval(bad, rows).map((end) => Number(end.toFixed(4))),
      [low, high],
    )
  assert.deepEqual(wilsonInterval(0, 0), [0, 1])
})

test("Wilson's interval holds the share, mirrors, and narrows as more is counted", () => {
  const counted = fc
    .integer({ min: 1, max: 400 })
    .chain((rows) => fc.tuple(fc.integer({ min: 0, max: rows }), fc.constant(rows)))
  fc.assert(
    fc.property(counted, ([bad, rows]) => {
      const [low, high] = wilsonInterval(bad, rows)
      assert.ok(low >= 0 && low <= bad / rows && bad / rows <= high && high <= 1)
      const [mirroredLow, mirroredHigh] = wilsonInterval(rows - bad, rows)
      close(mirroredLow, 1 - high)
      close(mirroredHigh, 1 - low)
      const [moreLow, moreHigh] = wilsonInterval(2 * bad, 2 * rows)
      assert.ok(moreHigh - moreLow < high - low)
    }),
    PROPERTY,
  )
})
