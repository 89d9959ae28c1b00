import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { InputError } from "../inputs/member.ts"
import type { Detected } from "./format.ts"
import { memberOf, readDetected } from "../../testing/formats/test-read.ts"

const columns = { email: { at: 0, name: "email" }, password: { at: 1, name: "password" } }
const json: Detected = { format: { name: "json", columns }, encoding: "utf-8" }
const ndjson: Detected = { format: { name: "ndjson", columns }, encoding: "utf-8" }
const seed = 20261115

test("elements come out of a document as they went in, however it is laid out and cut", async () => {
  const person = fc.record({
    email: fc.emailAddress(),
    password: fc.string({
      unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", ",", "\n", "ä", "a"),
    }),
    other: fc.jsonValue(),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { maxLength: 8 }),
      fc.constantFrom(0, 2),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      async (people, indent, wrapped, size) => {
        const document = wrapped ? { total: 1, inner: { list: [1] }, people } : people
        const bytes = Buffer.from(JSON.stringify(document, null, indent))
        const { rows, rejects } = await readDetected(memberOf("a", bytes, size), json)
        assert.deepEqual(
          rows.map(({ identity, secret }) => [identity, secret]),
          people.map(({ email, password }) => [email, password]),
        )
        assert.deepEqual(rejects, [])
      },
    ),
    { seed, numRuns: 200 },
  )
})

test("documents that are cut off or go on behind their end are damaged inputs", async () => {
  const good = '[{"email":"ann@example.com"}]'
  const cases = [
    good.slice(0, -1),
    good.slice(0, -3),
    `${good}]`,
    `${good}{}`,
    "[}",
    "17",
    '"x"',
    "",
  ]
  for (const text of cases) {
    await assert.rejects(
      readDetected(memberOf("a.json", Buffer.from(text)), json),
      (error) => error instanceof InputError && !error.message.includes("ann@"),
    )
  }
})

for (const [name, detected, open, close] of [
  ["a document", json, "[", "]"],
  ["lines", ndjson, "", ""],
] as const) {
  test(`in ${name} an element of more than a megabyte is rejected and the next one read`, async () => {
    const separator = detected === json ? ",\n" : "\n"
    const people = ["ann", "bob", "carl"].map((who) => ({
      email: `${who}@example.com`,
      password: who === "bob" ? "x".repeat(5 << 20) : "x",
    }))
    const text = open + people.map((each) => JSON.stringify(each)).join(separator) + close
    const { rows, rejects } = await readDetected(memberOf("a", Buffer.from(text)), detected)
    assert.deepEqual(
      rows.map(({ line, identity }) => [line, identity]),
      [
        [1, "ann@example.com"],
        [3, "carl@example.com"],
      ],
    )
    assert.deepEqual(rejects, [{ line: 2, reason: "too-long" }])
  })
}

test("a line nested deeper than any person's data is a bad row and no fault of the import", async () => {
  const deep = `{"email":"a@example.com","password":1,"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
  const { rejects, rows } = await readDetected(memberOf("a", Buffer.from(deep)), ndjson)
  assert.equal(rejects.length + rows.length, 1)
})
