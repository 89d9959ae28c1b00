import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { type ChangeSpan, changedTogether, newerChange, scoredAge } from "./change-span.ts"

const days = fc.double({ min: 0, max: 400, noNaN: true })
const span: fc.Arbitrary<ChangeSpan> = fc
  .tuple(days, days)
  .map(([one, other]) => ({ atLeast: Math.min(one, other), atMost: Math.max(one, other) }))
const RUNS = { seed: 51, numRuns: 2_000 }

test("the newer of two changes is the same whichever is named first, and one is newer than none", () => {
  fc.assert(
    fc.property(span, span, (one, other) => {
      assert.deepEqual(newerChange(one, other), newerChange(other, one))
      assert.deepEqual(newerChange(one, null), one)
      assert.deepEqual(newerChange(null, one), one)
    }),
    RUNS,
  )
  assert.equal(newerChange(null, null), null)
})

test("a change is never scored as fresher than known, unless a proof of the number lies in its span", () => {
  const between = { atLeast: 3, atMost: 10 }
  assert.equal(scoredAge(between, Infinity), 10)
  assert.equal(scoredAge(between, 12), 10)
  assert.equal(scoredAge(between, 10), 10)
  assert.equal(scoredAge(between, 5), 5)
  assert.equal(scoredAge(between, 3), 3)
  // The proof is later than the whole span of the change.
  assert.equal(scoredAge(between, 2), 10)
  assert.equal(scoredAge({ atLeast: 4, atMost: 4 }, 4), 4)
})

test("wherever in its span a change really was: after the proof, it counts as one after the proof", () => {
  fc.assert(
    fc.property(span, days, fc.double({ min: 0, max: 1, noNaN: true }), (change, proof, where) => {
      const really = change.atLeast + where * (change.atMost - change.atLeast)
      const scored = scoredAge(change, proof)
      assert.ok(scored <= change.atMost)
      // The model ignores a change that is older than the proof.
      if (really < proof) assert.ok(!(proof < scored))
    }),
    RUNS,
  )
})

test("two changes are together, apart, or nobody can say", () => {
  const at = (age: number): ChangeSpan => ({ atLeast: age, atMost: age })
  assert.equal(changedTogether(at(5), at(5.9), 1), true)
  assert.equal(changedTogether(at(5), at(6.1), 1), false)
  assert.equal(changedTogether({ atLeast: 0, atMost: 1 }, { atLeast: 0, atMost: 1 }, 1), true)
  assert.equal(changedTogether({ atLeast: 0, atMost: 10 }, at(5), 1), undefined)
  assert.equal(changedTogether(at(2), { atLeast: 10, atMost: Infinity }, 1), false)
  assert.equal(changedTogether(at(9.5), { atLeast: 10, atMost: Infinity }, 1), undefined)
})
