import assert from "node:assert/strict"
import { test } from "node:test"
import { onceForSchemas } from "./schema-compilers.ts"

test("a compiler is made once for the same schemas and options, and again for any other", () => {
  const [one, two] = [{ $id: "one" }, { $id: "two" }]
  const options = { coerceTypes: false }
  let made = 0
  const build = onceForSchemas((_schemas: object, _options: object) => ++made)
  assert.equal(build({ one, two }, options), 1)
  assert.equal(build({ one, two }, options), 1)
  assert.equal(build({ one }, options), 2)
  assert.equal(build({ one, two: { ...two } }, options), 3)
  assert.equal(build({ one, two }, { ...options }), 4)
})
