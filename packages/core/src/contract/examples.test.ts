import assert from "node:assert/strict"
import { test } from "node:test"
import { Value } from "typebox/value"
import { EmailRiskResult, PhoneRiskResult } from "./index.ts"

for (const schema of [EmailRiskResult, PhoneRiskResult]) {
  const { $id: name = "", examples = [] } = schema as { $id?: string; examples?: object[] }

  test(`${name}: each example is an answer the service could give`, () => {
    assert.ok(examples.length > 0)
    for (const example of examples) {
      assert.ok(Value.Check(schema, example))
      assert.ok(!Value.Check(schema, { ...example, another: 1 }))
    }
  })
}
