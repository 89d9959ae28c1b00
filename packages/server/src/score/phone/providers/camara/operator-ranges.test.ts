import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import { operatorFor, operatorRanges } from "./operator-ranges.ts"

const ranges = operatorRanges([
  { name: "wide", ranges: ["+614", "+64"] },
  { name: "narrow", ranges: ["+61491570"] },
  { name: "late", ranges: ["+614", "+65"] },
])

test("the longest range that fits a number decides whose it is", () => {
  assert.equal(operatorFor("+61491570156", ranges), "narrow")
  assert.equal(operatorFor("+61491571156", ranges), "wide")
  assert.equal(operatorFor("+6421123456", ranges), "wide")
})

test("of two operators with the same range the first has it", () => {
  assert.equal(operatorFor("+61412345678", ranges), "wide")
  assert.equal(operatorFor("+6512345678", ranges), "late")
})

test("a number in nobody's range is nobody's, also one that is shorter than a range", () => {
  assert.equal(operatorFor("+442071234567", ranges), null)
  assert.equal(operatorFor("+61", ranges), null)
  assert.equal(operatorFor("+61491570156", operatorRanges([])), null)
})

test("whatever the ranges are, no operator with a longer one that fits is passed over", () => {
  const range = fc.stringMatching(/^\+[1-3]{1,4}$/)
  const operators = fc.array(fc.array(range, { minLength: 1, maxLength: 5 }), { maxLength: 6 })
  fc.assert(
    fc.property(operators, fc.stringMatching(/^\+[1-3]{1,6}$/), (all, number) => {
      const named = all.map((own, at) => ({ name: `${at}`, ranges: own }))
      const fitting = named.flatMap(({ name, ranges: own }) =>
        own.filter((each) => number.startsWith(each)).map((each) => ({ name, each })),
      )
      const longest = Math.max(0, ...fitting.map(({ each }) => each.length))
      const expected = fitting.find(({ each }) => each.length === longest)?.name ?? null
      assert.equal(operatorFor(number, operatorRanges(named)), expected)
    }),
    { seed: 5, numRuns: 1000 },
  )
})
