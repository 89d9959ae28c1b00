import assert from "node:assert/strict"
import { test } from "node:test"
import { AssayUnavailable, createClient, type SourceList } from "./index.ts"
import { cut, json, KEY, startTestServer } from "../testing/test-server.ts"

const page: SourceList = {
  newest: { imported_at: "2026-11-14T00:00:00.000Z", event_date: "2026-11-01" },
  sources: [
    {
      kind: "breach",
      event_date: "2024-03-01",
      published_date: null,
      acquired_date: null,
      imported_at: "2026-11-15T12:00:00.000Z",
      rows: 10,
      identities: 9,
    },
  ],
  next: "7",
}

const clientOf = (baseUrl: string) =>
  createClient({ baseUrl, apiKey: KEY, timeoutMs: 10_000, retries: 0, failover: "allow" })

test("a page of sources is asked for and given back as it came, and the next one by its name", async () => {
  const server = await startTestServer(json(200, page), json(200, { sources: [], next: null }))
  const client = clientOf(server.url)
  const first = await client.listSources()
  assert.deepEqual(first, page)
  assert.deepEqual(await client.listSources({ after: first.next ?? "", limit: 20 }), {
    sources: [],
    next: null,
  })
  const [plain, second] = server.seen
  assert.equal(plain?.method, "GET")
  assert.equal(plain.url, "/api/v1/sources")
  assert.equal(plain.headers.authorization, `Bearer ${KEY}`)
  assert.equal(second?.url, "/api/v1/sources?after=7&limit=20")
})

test("what is no list rejects, whatever failover says", async () => {
  for (const reply of [json(200, {}), json(200, { sources: {} }), json(200, []), cut]) {
    const server = await startTestServer(reply)
    await assert.rejects(
      clientOf(server.url).listSources(),
      (error) => error instanceof AssayUnavailable,
    )
  }
})
