import assert from "node:assert/strict"
import { test } from "node:test"
import { countsAreShared } from "./open-counters.ts"

test("nodes count together where they share both records and index, and else each for itself", () => {
  const own = {
    dataDirectory: "data",
    databaseUrl: null,
    indexUrl: null,
    indexName: "assay",
    indexBucketBits: 20,
    indexTimeoutMs: 1000,
  }
  const databaseUrl = "postgres://one/records"
  const indexUrl = "redis://one:6379"
  const places = [own, { ...own, databaseUrl }, { ...own, indexUrl }]
  assert.deepEqual(places.map(countsAreShared), [false, false, false])
  assert.equal(countsAreShared({ ...own, databaseUrl, indexUrl }), true)
})
