import assert from "node:assert/strict"
import { test } from "node:test"
import { type AuditList, AssayUnavailable, createClient } from "./index.ts"
import { cut, json, KEY, startTestServer } from "../testing/test-server.ts"

const page: AuditList = {
  entries: [
    {
      id: 7,
      at: "2026-11-02T00:00:00.000Z",
      actor: "key:key_1",
      action: "key.revoke",
      subject: "key:key_2",
      detail: {},
      request_id: "r1",
    },
  ],
}

const clientOf = (baseUrl: string) =>
  createClient({ baseUrl, apiKey: KEY, timeoutMs: 10_000, retries: 0, failover: "allow" })

test("the audit trail is asked for by pages and given back as it came", async () => {
  const server = await startTestServer(json(200, page), json(200, page))
  const client = clientOf(server.url)
  assert.deepEqual(await client.listAudit(), page)
  assert.deepEqual(await client.listAudit({ before: 7, limit: 50 }), page)
  const [plain, ofPage] = server.seen
  assert.deepEqual([plain?.method, plain?.url], ["GET", "/api/v1/audit"])
  assert.equal(ofPage?.url, "/api/v1/audit?before=7&limit=50")
})

test("what is no page rejects, whatever failover says", async () => {
  for (const reply of [json(200, {}), json(200, { entries: {} }), json(200, []), cut]) {
    const server = await startTestServer(reply)
    await assert.rejects(
      clientOf(server.url).listAudit(),
      (error) => error instanceof AssayUnavailable,
    )
  }
})
