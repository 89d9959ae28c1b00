import assert from "node:assert/strict"
import { test } from "node:test"
import { instantOf } from "./time.ts"

test("a time is written the same the first time and again", () => {
  for (const ms of [0, 0, 1_763_222_400_123, 1_763_222_400_123, 1_763_222_400_124, 0])
    assert.equal(instantOf(ms), new Date(ms).toISOString())
})
