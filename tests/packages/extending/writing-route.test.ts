import assert from "node:assert/strict"
import { test } from "node:test"
import { follow, stepsOf } from "./steps.ts"

test("a route that writes, added by the steps, keeps what it acknowledged, in twelve files", () => {
  using copy = follow(stepsOf("Add a route that writes"))
  assert.equal(copy.touched.length, 12, copy.touched.join("\n"))
  // The test that is part of the steps, and the one that checks the floors of folders.
  for (const file of ["tests/http/remarks.test.ts", "tests/packages/floors.test.ts"])
    assert.match(copy.run(["--test", "--test-reporter=tap", file]), /^# fail 0$/m)
})
