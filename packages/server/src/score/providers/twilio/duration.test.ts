import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import { durationSeconds } from "./duration.ts"

test("weeks, days, hours, minutes and seconds are added up", () => {
  assert.equal(durationSeconds("PT24H"), 86_400)
  assert.equal(durationSeconds("PT15282H33M44S"), 15_282 * 3600 + 33 * 60 + 44)
  assert.equal(durationSeconds("P7D"), 7 * 86_400)
  assert.equal(durationSeconds("P2W"), 14 * 86_400)
  assert.equal(durationSeconds("P1DT1H0.5S"), 86_400 + 3600)
  assert.equal(durationSeconds("PT0S"), 0)
})

test("what has no fixed length, no number or no unit is no duration", () => {
  for (const odd of ["P1M", "P1Y", "P", "PT", "P1DT", "24H", "PT24", "PT-1H", "pt24h", "PT1H ", ""])
    assert.equal(durationSeconds(odd), null, odd)
})

test("any text is read or refused, and what is read is a whole number of seconds", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom("P", "T", "D", "H", "M", "S", "W", ".", "1", "0") }),
  )
  fc.assert(
    fc.property(text, (written) => {
      const seconds = durationSeconds(written)
      assert.ok(seconds === null || (Number.isSafeInteger(seconds) && seconds >= 0))
    }),
    { seed: 60620, numRuns: 2000 },
  )
})
