import assert from "node:assert/strict"
import { test } from "node:test"
import { apiBreaks } from "../../scripts/api-breaks.ts"
import { publishedApi, publishedPart } from "../../scripts/published-api.ts"
import { startService } from "./service.ts"

// docs/versioning.md promises what this holds. A change that fails here is made beside the old one:
// a new member, operation or type of event. `scripts/published-api.ts` publishes what was added.
test("the API and the events break nobody who relies on what was published", async () => {
  await using service = await startService()
  const answer = await service.request("/openapi.json", { key: null })
  const today = publishedPart((await answer.json()) as object)
  const published = publishedApi()
  assert.ok(Object.keys(published.paths).length > 60)
  assert.ok(Object.keys(published.webhooks).length > 10)
  assert.deepEqual(apiBreaks(published, today, new Date().toISOString().slice(0, 10)), [])
})
