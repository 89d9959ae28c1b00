import assert from "node:assert/strict"
import { test } from "node:test"
import { Value } from "typebox/value"
import { closed } from "../../testing/closed.ts"
import { EVENT_BYTES_MAX, EVENT_KINDS, eventBodySchema, eventSchemaName } from "./events.ts"

for (const kind of EVENT_KINDS) {
  const schema = eventBodySchema(kind)
  const { examples = [] } = schema as { examples?: { data: object }[] }

  test(`${kind}: its example has the members of its schema and no other`, () => {
    assert.equal(examples.length, 1)
    for (const example of examples) {
      assert.ok(Value.Check(closed(schema), example))
      assert.ok(!Value.Check(closed(schema), { ...example, another: 1 }))
      assert.ok(!Value.Check(closed(schema), { ...example, data: { ...example.data, another: 1 } }))
      assert.ok(!Value.Check(schema, { ...example, type: "another.kind" }))
    }
  })

  test(`${kind}: a receiver that knows an older schema takes what a newer one adds`, () => {
    for (const example of examples)
      assert.ok(Value.Check(schema, { ...example, data: { ...example.data, another: 1 } }))
  })

  test(`${kind}: a name that Standard Webhooks allows, and a body that it may have`, () => {
    assert.match(kind, /^[a-zA-Z0-9_.]+$/)
    assert.ok(JSON.stringify(examples[0]).length < EVENT_BYTES_MAX)
  })
}

test("every kind of event has a schema of its own name", () => {
  assert.equal(new Set(EVENT_KINDS.map(eventSchemaName)).size, EVENT_KINDS.length)
  assert.equal(eventSchemaName("risk.email.changed"), "RiskEmailChangedEvent")
})
