import assert from "node:assert/strict"
import { test } from "node:test"
import { promises } from "../../packages/drop/src/pages/promises.ts"
import { dropTests } from "../../scripts/reference/drop-test-ids.ts"
import { testFiles, unproved } from "../../scripts/reference/drop-tests.ts"

test("T57: every promise on the pages and every number has a test, or says why it has none", () => {
  assert.deepEqual(unproved({ tests: dropTests, files: testFiles(), promises }), [])
  assert.deepEqual(
    Object.keys(dropTests),
    Array.from({ length: 57 }, (_, n) => `T${n + 1}`),
  )
  // Only what no machine of ours can do is excused.
  assert.deepEqual(
    Object.entries(dropTests).flatMap(([id, { notRun }]) => (notRun === undefined ? [] : [id])),
    ["T22"],
  )
})

test("T57: a promise without a test, a test nobody wrote and a number nobody knows are all named", () => {
  const tests = { T1: { proves: "one" }, T2: { proves: "two", notRun: "elsewhere" } }
  const files = new Map([["T9", ["a.test.ts"]]])
  assert.deepEqual(unproved({ tests, files, promises: { kept: [], safe: ["T2", "T9"] } }), [
    "T1 has no test: one",
    "T9 is in a test's name and means nothing",
    "kept has no test",
    "safe rests on T2, which no test holds",
  ])
})
