import assert from "node:assert/strict"
import { test } from "node:test"
import { DEPRECATIONS, RIGHTS } from "@assay/core/contract"
import { fastify } from "fastify"
import { announceDeprecation, withDeprecation } from "./deprecated.ts"

const table = {
  oldWay: { since: "2027-01-01", sunset: "2028-01-01", instead: "Use the new way." },
}

test("every answer of a deprecated operation says since when and until when, and no other answer does", async () => {
  const app = fastify()
  app.addHook("onRoute", (route) => announceDeprecation(route, table))
  const refusing = async (): Promise<never> => {
    throw new Error("refused")
  }
  const handler = async (): Promise<string> => "ok"
  app.get("/old", { schema: { operationId: "oldWay" } }, handler)
  app.get("/new", { schema: { operationId: "newWay" } }, handler)
  app.get("/page", handler)
  app.get("/refused", { schema: { operationId: "oldWay" }, onRequest: refusing }, handler)
  for (const [url, status] of [
    ["/old", 200],
    ["/refused", 500],
  ] as const) {
    const { statusCode, headers } = await app.inject(url)
    assert.equal(statusCode, status)
    assert.equal(headers["deprecation"], "@1798761600")
    assert.equal(headers["sunset"], "Sat, 01 Jan 2028 00:00:00 GMT")
    assert.equal(headers["link"], '</docs>; rel="deprecation"; type="text/html"')
  }
  for (const url of ["/new", "/page"]) {
    const { statusCode, headers } = await app.inject(url)
    assert.equal(statusCode, 200)
    for (const name of ["deprecation", "sunset", "link"]) assert.ok(!(name in headers))
  }
  await app.close()
})

test("the API description marks a deprecated operation, and says what to use instead", () => {
  const schema = { operationId: "oldWay", description: "As ever." }
  assert.deepEqual(withDeprecation(schema, table), {
    operationId: "oldWay",
    description:
      "As ever. Deprecated since 2027-01-01, and may be gone from 2028-01-01 on. Use the new way.",
    deprecated: true,
    "x-sunset": "2028-01-01",
  })
  const other = { operationId: "toString" }
  assert.equal(withDeprecation(other, table), other)
})

test("what is deprecated is an operation, and lasts for twelve months at least", () => {
  for (const [id, { since, sunset }] of Object.entries({ ...DEPRECATIONS, ...table })) {
    assert.ok(Object.hasOwn(RIGHTS, id) || Object.hasOwn(table, id), id)
    const earliest = new Date(since)
    earliest.setUTCFullYear(earliest.getUTCFullYear() + 1)
    assert.ok(Date.parse(sunset) >= earliest.getTime(), id)
  }
})
