import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { refIn, withRef } from "./case-ref.ts"

test("a case's name is read back from an input that is otherwise as it was", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 64 }), fc.string(), (ref, others) => {
      const input = { as_of: "2026-03-01", others }
      const json = withRef(JSON.stringify(input), ref)
      assert.equal(refIn(json), ref)
      assert.deepEqual(JSON.parse(json), { ref, ...input })
    }),
    { seed: 20_261_119, numRuns: 500 },
  )
})

test("an input without one has none, wherever the word stands", () => {
  for (const json of ['{"as_of":"2026-03-01","ref":"later"}', '{"reference":"x"}', "{}", ""])
    assert.equal(refIn(json), null)
})
