import assert from "node:assert/strict"
import { test } from "node:test"
import { AssayUnavailable, createSessionClient, type SessionDetails } from "./index.ts"
import { json, problem, startTestServer } from "../testing/test-server.ts"

const found: SessionDetails = {
  person_id: "per_1",
  name: "Rita",
  tenant_id: null,
  tenant: null,
  roles: ["drop-recipient"],
  scopes: [],
  memberships: [],
  signed_in_at: "2026-11-17T10:00:00.000Z",
  expires_at: "2026-11-17T22:00:00.000Z",
  csrf_token: "t1",
}
const keys = { drop_id: "0".repeat(32), recipients: ["age1x"] }

test("calls carry the token of the session that was last asked for, and never a key", async () => {
  const again = { ...found, csrf_token: "t2" }
  const server = await startTestServer(
    json(200, found),
    json(200, keys),
    json(200, again),
    json(200, keys),
  )
  const client = createSessionClient({ baseUrl: server.url, timeoutMs: 10_000, retries: 0 })
  assert.deepEqual(await client.session(), found)
  await client.drop.firstKeys(["age1x"])
  assert.deepEqual(await client.session(), again)
  await client.drop.firstKeys(["age1x"])
  const sent = server.seen.map(({ url, headers }) => [url, headers["x-csrf-token"]])
  assert.deepEqual(sent, [
    ["/api/v1/session", undefined],
    ["/api/v1/drop/keys", "t1"],
    ["/api/v1/session", "t1"],
    ["/api/v1/drop/keys", "t2"],
  ])
  assert.ok(server.seen.every(({ headers }) => headers.authorization === undefined))
})

test("nobody signed in is null, and anything else that is no session rejects", async () => {
  const server = await startTestServer(problem(401, { code: "unauthenticated" }), json(200, {}))
  const client = createSessionClient({ baseUrl: server.url, timeoutMs: 10_000, retries: 0 })
  assert.equal(await client.session(), null)
  await assert.rejects(client.session(), (error) => error instanceof AssayUnavailable)
})
