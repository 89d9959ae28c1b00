import assert from "node:assert/strict"
import { test } from "node:test"
import { RIGHTS } from "@assay/core/contract"
import { rightOf } from "./route-rights.ts"

test("an operation has the right of its row", () => {
  const right = rightOf({ url: "/api/v1/usage", schema: { operationId: "getUsage" } })
  assert.deepEqual(right, RIGHTS.getUsage)
})

test("operations for anyone, pages and refusals of methods ask for no key", () => {
  assert.equal(rightOf({ url: "/healthz", schema: { operationId: "live" } }), null)
  assert.equal(rightOf({ url: "/problems/not-found", schema: { hide: true } }), null)
  assert.equal(rightOf({ url: "/api/v1/usage", config: { refusesMethods: true } }), null)
})

test("a route without a row is refused when it is added, whatever its path or name", () => {
  const routes = [
    { url: "/api/v1/new", schema: { operationId: "newOperation" } },
    { url: "/api/v1/new", schema: { operationId: "toString" } },
    { url: "/api/v1/new", schema: { hide: true } },
    { url: "/console/new" },
    { url: "/problemsets" },
  ]
  for (const route of routes) assert.throws(() => rightOf(route), /has no row/)
})
