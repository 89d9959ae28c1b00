import assert from "node:assert/strict"
import { test } from "node:test"
import { AssayUnavailable, createClient, type UsageReport } from "./index.ts"
import { cut, json, KEY, startTestServer } from "../testing/test-server.ts"

const report: UsageReport = {
  from: "2026-11-01",
  to: "2026-11-16",
  lookups_per_month: 1000,
  lookups_left: 993,
  total: 3,
  usage: [{ day: "2026-11-02", key_id: "key_1", operation: "email", count: 3 }],
}

const clientOf = (baseUrl: string) =>
  createClient({ baseUrl, apiKey: KEY, timeoutMs: 10_000, retries: 0, failover: "allow" })

test("usage is asked for by day and given back as it came", async () => {
  const server = await startTestServer(json(200, report), json(200, report))
  const client = clientOf(server.url)
  assert.deepEqual(await client.getUsage(), report)
  assert.deepEqual(await client.getUsage({ from: "2026-11-01", to: "2026-11-16" }), report)
  const [plain, ofDays] = server.seen
  assert.equal(plain?.method, "GET")
  assert.equal(plain.url, "/api/v1/usage")
  assert.equal(plain.headers.authorization, `Bearer ${KEY}`)
  assert.equal(ofDays?.url, "/api/v1/usage?from=2026-11-01&to=2026-11-16")
})

test("what is no report rejects, whatever failover says", async () => {
  for (const reply of [json(200, {}), json(200, { usage: {}, total: 1 }), json(200, []), cut]) {
    const server = await startTestServer(reply)
    await assert.rejects(
      clientOf(server.url).getUsage(),
      (error) => error instanceof AssayUnavailable,
    )
  }
})
