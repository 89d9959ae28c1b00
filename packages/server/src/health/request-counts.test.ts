import assert from "node:assert/strict"
import { test } from "node:test"
import { openMetrics, Registry } from "../base/metrics.ts"
import { countRequests, noRequests } from "./request-counts.ts"
import { requestKind } from "./request-kind.ts"

test("scores, other operations and pages count apart, and probes and paths of nobody not at all", () => {
  const kinds = {
    score: ["/api/v1/risk/score", "/api/v1/risk/score/batch", "/api/v1/phone-risk"],
    api: ["/api/v1/feedback", "/api/v1/risk/scores", "/ssf/poll/:id", "/.well-known/jwks.json"],
    pages: ["/", "/console/*", "/problems/:code", "/openapi.json"],
    none: ["/healthz", "/readyz", "/metrics", "unmatched", "unread"],
  }
  for (const [kind, routes] of Object.entries(kinds))
    for (const route of routes) assert.equal(requestKind(route) ?? "none", kind, route)
})

test("good is every status below 500: a refusal is, a request that was shed is not", () => {
  const { metrics, take } = countRequests(openMetrics(new Registry(), async () => ""))
  for (const status of [200, 400, 401, 404, 429, 500, 503])
    metrics.observeRequest("/api/v1/risk/score", "POST", status, 0.01)
  metrics.observeRequest("/console/*", "GET", 500, 0.01)
  for (const route of ["/healthz", "/readyz", "/metrics", "unmatched", "unread"])
    metrics.observeRequest(route, "GET", 503, 0.01)
  const { kinds, answered, failed } = take()
  assert.deepEqual(kinds, [
    ["score", 7, 5],
    ["pages", 1, 0],
  ])
  // The figures of the last hours are of operations alone, as before.
  assert.deepEqual([answered, failed], [5, 2])
  assert.deepEqual(take(), noRequests)
})

test("what could not be handed on is counted again, once", () => {
  const { metrics, take, putBack } = countRequests(openMetrics(new Registry(), async () => ""))
  metrics.observeRequest("/api/v1/feedback", "POST", 503, 0.01)
  putBack(take())
  metrics.observeRequest("/api/v1/feedback", "POST", 200, 0.01)
  assert.deepEqual(take().kinds, [["api", 2, 1]])
})
