import assert from "node:assert/strict"
import { test } from "node:test"
import { inHundredths } from "./hundredths.ts"

const sum = (terms: readonly number[]): number =>
  terms.reduce((reached, term) => reached + Math.round(term * 100), 0)

test("terms that are rounded one by one miss the score, and as they are printed they reach it", () => {
  const terms = [2.8844, 53.6643, 5.1944]
  const rounding = 62 - terms.reduce((a, b) => a + b)
  assert.notEqual(sum([...terms, rounding]), 6200)
  const printed = inHundredths(terms, 62)
  assert.deepEqual(printed, [2.88, 53.66, 5.19, 0.27])
  assert.equal(sum(printed), 6200)
})

test("what is printed of a term is the term, to a hundredth", () => {
  assert.deepEqual(inHundredths([7.95, 35.86, 16.47], 60), [7.95, 35.86, 16.47, -0.28])
  assert.deepEqual(inHundredths([0], 0), [0, 0])
})
