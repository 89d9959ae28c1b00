import assert from "node:assert/strict"
import { test } from "node:test"
import {
  AssayProblem,
  AssayUnavailable,
  type ComparedLine,
  createSessionClient,
  type SessionClient,
} from "./index.ts"
import { json, problem, type Reply, startTestServer } from "../testing/test-server.ts"

/** Each call, the request it is, and a member of its answer. */
const CALLS: readonly [request: string, answer: object, call: (of: SessionClient) => unknown][] = [
  ["POST /session", { state: "signed_in" }, ({ signIn }) => signIn.byPassword("a@b.example", "x")],
  [
    "POST /session/second-step",
    { state: "signed_in" },
    ({ signIn }) => signIn.secondStep("s", "1"),
  ],
  ["POST /session/passkey/start", { step: "s" }, ({ signIn }) => signIn.startPasskey()],
  ["POST /session/passkey", { state: "signed_in" }, ({ signIn }) => signIn.byPasskey("s", {})],
  ["POST /join/look", { back_in: false }, ({ signIn }) => signIn.look("t")],
  [
    "POST /join/passkey/start",
    { step: "s" },
    ({ signIn }) => signIn.startJoinByPasskey({ token: "t" }),
  ],
  ["POST /join", { state: "signed_in" }, ({ signIn }) => signIn.join({ token: "t" })],
  ["POST /join/accept", { state: "signed_in" }, ({ signIn }) => signIn.accept("t")],
  ["PUT /session/tenant", { state: "signed_in" }, ({ signIn }) => signIn.actIn(3)],
  ["GET /me", { person_id: "per_1" }, ({ account }) => account.get()],
  ["GET /me/sessions", { sessions: [] }, ({ account }) => account.sessions()],
  ["DELETE /me/sessions/ses_1", {}, ({ account }) => account.endSession("ses_1")],
  ["DELETE /me/sessions", { ended: 2 }, ({ account }) => account.endOtherSessions()],
  ["PUT /me/password", {}, ({ account }) => account.setPassword("x")],
  ["POST /me/passkeys/start", { step: "s" }, ({ account }) => account.startPasskey()],
  ["POST /me/passkeys", {}, ({ account }) => account.addPasskey("s", {}, "phone")],
  ["DELETE /me/passkeys/pk-1", {}, ({ account }) => account.removePasskey("pk-1")],
  ["POST /me/totp/start", { step: "s" }, ({ account }) => account.startTotp()],
  ["POST /me/totp", { recovery_codes: [] }, ({ account }) => account.confirmTotp("s", "1")],
  ["DELETE /me/totp", {}, ({ account }) => account.removeTotp()],
  ["POST /me/recovery-codes", { recovery_codes: [] }, ({ account }) => account.makeRecoveryCodes()],
  ["GET /members", { members: [] }, ({ members }) => members.list()],
  ["POST /members/invitations", { link: "l" }, ({ members }) => members.invite("viewer")],
  ["DELETE /members/invitations/inv_1", {}, ({ members }) => members.endInvitation("inv_1")],
  ["PUT /members/per_1/role", {}, ({ members }) => members.setRole("per_1", "owner")],
  ["DELETE /members/per_1", {}, ({ members }) => members.remove("per_1")],
  ["GET /keys", { keys: [] }, ({ keys }) => keys.list()],
  ["POST /keys", { key: "k" }, ({ keys }) => keys.create({ scopes: ["score"] })],
  ["PATCH /keys/key_1", { id: "key_1" }, ({ keys }) => keys.change("key_1", { label: "x" })],
  ["POST /keys/key_1/rotate", { key: "k" }, ({ keys }) => keys.rotate("key_1")],
  ["POST /keys/key_1/revoke", { id: "key_1" }, ({ keys }) => keys.revoke("key_1")],
  ["GET /tenant", { plan: "free" }, ({ tenants }) => tenants.own()],
  ["GET /service/levels?period=7d", { points: [] }, ({ service }) => service.levels("7d")],
  ["GET /service/levels", { points: [] }, ({ service }) => service.levels()],
  [
    "GET /service/budget?month=2026-11",
    { budget: { allowed: 1, left: 1 } },
    ({ service }) => service.budget("2026-11"),
  ],
  ["GET /service/budget", { budget: {} }, ({ service }) => service.budget()],
  ["GET /service/health", { findings: [] }, ({ service }) => service.health()],
  ["GET /sinks", { sinks: [] }, ({ service }) => service.sinks()],
  [
    "POST /sinks/soc/test",
    { event_id: "evt_1", fault: null, duration_ms: 3 },
    ({ service }) => service.testSink("soc"),
  ],
  ["GET /policy", { version: 1 }, ({ policy }) => policy.get()],
  ["GET /policy/versions?before=9", { versions: [] }, ({ policy }) => policy.versions(9)],
  ["GET /policy/versions/2", { version: 2 }, ({ policy }) => policy.version(2)],
  ["PUT /policy", { version: 2 }, ({ policy }) => policy.set({}, 1)],
  ["POST /policy/revert", { version: 3 }, ({ policy }) => policy.revert(1, 2)],
  ["POST /policy/preview", { email: {} }, ({ policy }) => policy.preview({})],
  ["GET /policy/shadow", { shadow: null }, ({ policy }) => policy.shadow()],
  ["PUT /policy/shadow", { shadow: {} }, ({ policy }) => policy.setShadow({})],
  ["DELETE /policy/shadow", {}, ({ policy }) => policy.endShadow()],
  ["GET /decisions/views", { views: [] }, ({ decisionViews }) => decisionViews.list()],
  [
    "POST /decisions/views",
    { id: "view_1" },
    ({ decisionViews }) => decisionViews.save({ name: "High", filter: { band: "high" } }),
  ],
  ["DELETE /decisions/views/view_1", {}, ({ decisionViews }) => decisionViews.delete("view_1")],
  ["GET /tenants?after=7", { tenants: [] }, ({ tenants }) => tenants.list(7)],
  ["POST /tenants", { id: 1 }, ({ tenants }) => tenants.create({ name: "Acme" })],
  ["PATCH /tenants/1", { id: 1 }, ({ tenants }) => tenants.changePlan(1, "enterprise")],
  ["GET /signups", { signups: [] }, ({ tenants }) => tenants.signUps()],
  ["POST /signups/s1/approve", { token: null }, ({ tenants }) => tenants.approve("s1")],
  ["POST /signups/s1/refuse", {}, ({ tenants }) => tenants.refuse("s1")],
  ["GET /signup", { challenge: {} }, ({ signUp }) => signUp.offer()],
  ["POST /signup", { state: "waiting" }, ({ signUp }) => signUp.ask({} as never)],
  ["POST /signup/confirm", { key: "k" }, ({ signUp }) => signUp.confirm("t")],
  ["GET /corpus/imports", { imports: [] }, ({ imports }) => imports.list()],
  [
    "POST /corpus/preview?format=csv",
    { rows: [] },
    ({ imports }) => imports.preview(new Blob(["a"]), { format: "csv" }),
  ],
  ["DELETE /corpus/imports/imp_1", { id: "imp_1" }, ({ imports }) => imports.cancel("imp_1")],
  [
    "GET /lists/overrides?category=deny&after=x",
    { overrides: [] },
    ({ lists }) => lists.overrides({ category: "deny", after: "x" }),
  ],
  [
    "POST /lists/overrides",
    { id: "ovr_1" },
    ({ lists }) => lists.add({ domain: "shop.example", category: "allow" }),
  ],
  ["DELETE /lists/overrides/ovr_1", { id: "ovr_1" }, ({ lists }) => lists.remove("ovr_1")],
  ["POST /lists/check", { verdict: ["free"] }, ({ lists }) => lists.check("shop.example")],
  ["DELETE /session", {}, ({ signIn }) => signIn.out()],
]

const clientOf = (baseUrl: string): SessionClient =>
  createSessionClient({ baseUrl, timeoutMs: 10_000, retries: 0 })

test("each call of a session is the request that the contract describes", async () => {
  const server = await startTestServer(
    ...(CALLS.map(([, answer]) => json(200, answer)) as [Reply, ...Reply[]]),
  )
  const client = clientOf(server.url)
  for (const [, , call] of CALLS) await call(client)
  assert.deepEqual(
    server.seen.map(({ method, url }) => `${method} ${url.replace("/api/v1", "")}`),
    CALLS.map(([request]) => request),
  )
  const set = server.seen.find(({ method, url }) => method === "PUT" && url === "/api/v1/policy")
  assert.equal(set?.headers["if-match"], '"1"')
})

test("an answer that is none rejects, and no identity gets into a path", async () => {
  const server = await startTestServer(json(200, {}), problem(412, { code: "policy-changed" }))
  const client = clientOf(server.url)
  await assert.rejects(client.keys.list(), AssayUnavailable)
  await assert.rejects(
    client.policy.set({}, 1),
    (error) => error instanceof AssayProblem && error.code === "policy-changed",
  )
  assert.throws(() => client.keys.revoke("ana@mail.example"), TypeError)
  assert.throws(() => client.tenants.approve("../keys"), TypeError)
  assert.equal(server.seen.length, 2)
})

test("a file is sent as it is, by its beginning to be looked at and whole to be imported", async () => {
  const taken = { id: "imp_1", state: "running" }
  const server = await startTestServer(
    json(200, { rows: [] }),
    json(202, taken),
    json(202, taken),
    problem(409, { code: "import-running" }),
  )
  const { imports } = clientOf(server.url)
  const file = new Blob(["x".repeat((1 << 20) + 5)])
  await imports.preview(file)
  assert.deepEqual(await imports.upload(file, { source: "forum", date: "2024-03-01" }), taken)
  await imports.fromFolder({ file: "a.zip", source: "forum" })
  await assert.rejects(
    imports.upload(file, { source: "forum" }),
    (error) => error instanceof AssayProblem && error.code === "import-running",
  )
  const [looked, sent, named] = server.seen
  assert.equal(looked?.body.length, 1 << 20)
  assert.equal(sent?.body.length, file.size)
  assert.equal(sent.url, "/api/v1/corpus/imports?source=forum&date=2024-03-01")
  assert.equal(sent.headers["content-type"], "application/octet-stream")
  assert.equal(sent.headers["content-length"], String(file.size))
  assert.deepEqual(JSON.parse(String(named?.body)), { file: "a.zip", source: "forum" })
})

test("a sign-in changes the token that calls carry, and signing out forgets it", async () => {
  const server = await startTestServer(
    json(200, { state: "signed_in", csrf_token: "t1" }),
    json(200, { keys: [] }),
    json(200, {}),
    json(200, { keys: [] }),
  )
  const client = clientOf(server.url)
  await client.signIn.byPassword("a@b.example", "secret")
  await client.keys.list()
  await client.signIn.out()
  await client.keys.list()
  const tokens = server.seen.map(({ headers }) => headers["x-csrf-token"])
  assert.deepEqual(tokens, [undefined, "t1", "t1", undefined])
})

test("a back-test gives its lines as they come, and one that does not end as it must rejects", async () => {
  const progress = { type: "progress", decisions: 5, reached: "2026-11-01T00:00:00.000Z" }
  const summary = { type: "summary", decisions: 5, compared: 5, changed: 0 }
  const failed = { problem: { code: "internal-error", status: 500, title: "x", type: "y" } }
  const lines =
    (...all: object[]): Reply =>
    (response) => {
      response.setHeader("content-type", "application/x-ndjson")
      response.end(all.map((line) => `${JSON.stringify(line)}\n`).join(""))
    }
  const server = await startTestServer(
    lines(progress, summary),
    lines(progress),
    lines(progress, failed),
  )
  const { policy } = clientOf(server.url)
  const all = async (): Promise<ComparedLine[]> => {
    const seen: ComparedLine[] = []
    for await (const line of policy.backTest({ days: 30 })) seen.push(line)
    return seen
  }
  assert.deepEqual(await all(), [progress, summary])
  await assert.rejects(all(), AssayUnavailable)
  await assert.rejects(all(), AssayProblem)
})
