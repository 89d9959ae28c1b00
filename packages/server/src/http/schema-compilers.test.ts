import assert from "node:assert/strict"
import { test } from "node:test"
import { nullably, onceForSchemas } from "./schema-compilers.ts"

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

test("routes whose answers have one schema share its serialiser, and others have their own", () => {
  let made = 0
  const build = nullably(() => ({ schema }) => {
    const { const: text } = schema as { const: string }
    made += 1
    return () => text
  })
  const compile = build({}, {})
  const part = { method: "GET", url: "/a", httpStatus: "400" }
  const first = compile({ ...part, schema: { const: "one" } })
  assert.equal(compile({ ...part, url: "/b", schema: { const: "one" } }), first)
  assert.equal(compile({ ...part, schema: { const: "two" } })({}), "two")
  assert.equal(first({}), "one")
  assert.equal(made, 2)
})
