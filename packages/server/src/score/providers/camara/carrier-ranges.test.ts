import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import { carrierFor, carrierRanges } from "./carrier-ranges.ts"

const ranges = carrierRanges([
  { name: "wide", ranges: ["+614", "+64"] },
  { name: "narrow", ranges: ["+61491570"] },
  { name: "late", ranges: ["+614", "+65"] },
])

test("the longest range that fits a number decides whose it is", () => {
  assert.equal(carrierFor("+61491570156", ranges), "narrow")
  assert.equal(carrierFor("+61491571156", ranges), "wide")
  assert.equal(carrierFor("+6421123456", ranges), "wide")
})

test("of two carriers with the same range the first has it", () => {
  assert.equal(carrierFor("+61412345678", ranges), "wide")
  assert.equal(carrierFor("+6512345678", ranges), "late")
})

test("a number in nobody's range is nobody's, also one that is shorter than a range", () => {
  assert.equal(carrierFor("+442071234567", ranges), null)
  assert.equal(carrierFor("+61", ranges), null)
  assert.equal(carrierFor("+61491570156", carrierRanges([])), null)
})

test("whatever the ranges are, no carrier with a longer one that fits is passed over", () => {
  const range = fc.stringMatching(/^\+[1-3]{1,4}$/)
  const carriers = fc.array(fc.array(range, { minLength: 1, maxLength: 5 }), { maxLength: 6 })
  fc.assert(
    fc.property(carriers, fc.stringMatching(/^\+[1-3]{1,6}$/), (all, number) => {
      const named = all.map((own, at) => ({ name: `${at}`, ranges: own }))
      const fitting = named.flatMap(({ name, ranges: own }) =>
        own.filter((each) => number.startsWith(each)).map((each) => ({ name, each })),
      )
      const longest = Math.max(0, ...fitting.map(({ each }) => each.length))
      const expected = fitting.find(({ each }) => each.length === longest)?.name ?? null
      assert.equal(carrierFor(number, carrierRanges(named)), expected)
    }),
    { seed: 5, numRuns: 1000 },
  )
})
