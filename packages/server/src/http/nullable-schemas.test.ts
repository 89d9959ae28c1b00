import assert from "node:assert/strict"
import { test } from "node:test"
import { Type } from "typebox"
import { withNullableTypes } from "./nullable-schemas.ts"

test("something or null becomes one schema of two types, wherever it stands", () => {
  const schema = Type.Object({
    day: Type.Union([Type.String({ format: "date" }), Type.Null()], { description: "A day." }),
    list: Type.Array(Type.Union([Type.Null(), Type.Object({ n: Type.Integer() })])),
  })
  assert.deepEqual(withNullableTypes(schema), {
    type: "object",
    required: ["day", "list"],
    properties: {
      day: { type: ["string", "null"], format: "date", description: "A day." },
      list: {
        type: "array",
        items: {
          type: ["object", "null"],
          required: ["n"],
          properties: { n: { type: "integer" } },
        },
      },
    },
  })
})

test("other choices stay as they are", () => {
  for (const schema of [
    { anyOf: [{ type: "string" }, { type: "integer" }] },
    { anyOf: [{ $ref: "Problem#" }, { type: "null" }] },
    { anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] },
    { enum: ["a", null] },
    true,
  ])
    assert.deepEqual(withNullableTypes(schema), schema)
})
