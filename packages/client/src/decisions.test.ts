import assert from "node:assert/strict"
import { test } from "node:test"
import {
  AssayProblem,
  AssayUnavailable,
  createClient,
  type DecisionDetails,
  decisionIdOf,
} from "./index.ts"
import {
  clientOf,
  cut,
  EMAIL,
  emailResult,
  json,
  KEY,
  problem,
  startTestServer,
} from "../testing/test-server.ts"

const ID = "dec_01kabcdefghjkmnpqrstvwxyz0"
const decision: DecisionDetails = {
  id: ID,
  decided_at: "2026-11-15T12:00:00.000Z",
  subject: "email",
  model_version: "1.0",
  calibration: null,
  recorded: {
    risk_score: 42,
    threat_stage: "LEAKED",
    confidence: "high",
    recommended_action: "step_up_auth",
  },
  assessment: { risk_score: 42 },
  reproduced: true,
  input: { as_of: "2026-11-15" },
}

test("the decision's id goes with the result that came with it, and the result stays as it is", async () => {
  const server = await startTestServer(
    json(200, emailResult, { "x-decision-id": ID }),
    json(200, emailResult),
  )
  const client = clientOf(server.url)
  const recorded = await client.scoreEmail(EMAIL)
  assert.deepEqual(recorded, emailResult)
  assert.equal(decisionIdOf(recorded), ID)
  assert.equal(decisionIdOf({ ...recorded }), null)
  assert.equal(decisionIdOf(await client.scoreEmail(EMAIL)), null)
})

test("decisions are read forward by what the last page said comes next", async () => {
  const server = await startTestServer(
    json(200, { decisions: [], next: ID }),
    json(200, { decisions: [], next: ID }),
  )
  const client = clientOf(server.url)
  const { next = "" } = await client.listDecisions({ after: "start", action: "block" })
  await client.listDecisions({ after: next, limit: 100 })
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    ["/api/v1/decisions?action=block&after=start", `/api/v1/decisions?after=${ID}&limit=100`],
  )
})

test("counts of decisions are asked for by their period, and anything else is no answer", async () => {
  const server = await startTestServer(
    json(200, { period: "7d", actions: [] }),
    json(200, { period: "24h" }),
  )
  const client = clientOf(server.url)
  assert.equal((await client.countDecisions({ period: "7d" })).period, "7d")
  await assert.rejects(client.countDecisions(), AssayUnavailable)
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    ["/api/v1/decisions/counts?period=7d", "/api/v1/decisions/counts"],
  )
})

test("a past decision is asked for by its id and given back as it came", async () => {
  const server = await startTestServer(
    json(200, decision),
    json(200, { ...decision, explanation: { base: 1 } }),
  )
  const client = clientOf(server.url)
  assert.deepEqual(await client.getDecision(ID), decision)
  const { explanation } = await client.getDecision(ID, { explain: true })
  assert.deepEqual(explanation, { base: 1 })
  const [plain, explained] = server.seen
  assert.equal(plain?.method, "GET")
  assert.equal(plain.url, `/api/v1/decisions/${ID}`)
  assert.equal(plain.body, "")
  assert.equal(plain.headers["content-type"], undefined)
  assert.equal(plain.headers.authorization, `Bearer ${KEY}`)
  assert.equal(explained?.url, `/api/v1/decisions/${ID}?explain=true`)
})

test("another decision, or one without its number, is not taken for the one that was asked for", async () => {
  const { recorded: _, ...rest } = decision
  for (const body of [
    { ...decision, id: ID.replace("dec_0", "dec_1") },
    rest,
    { ...decision, recorded: null },
    { ...decision, recorded: { risk_score: "42" } },
  ]) {
    const server = await startTestServer(json(200, body))
    await assert.rejects(
      clientOf(server.url).getDecision(ID),
      (error) => error instanceof AssayUnavailable && error.reason === "protocol",
    )
  }
})

test("filters are in the query of a list, and whom a search is about only in its body", async () => {
  const page = { decisions: [] }
  const server = await startTestServer(json(200, page), json(200, page))
  const client = clientOf(server.url)
  const until = "2026-11-15T12:00:00Z"
  await client.listDecisions({ subject: "email", band: "high", until, before: ID, limit: 5 })
  await client.searchDecisions({ email: EMAIL, action: "block" })
  const [list, search] = server.seen
  const { pathname, searchParams } = new URL(list?.url ?? "", server.url)
  assert.equal(pathname, "/api/v1/decisions")
  assert.deepEqual(Object.fromEntries(searchParams), {
    subject: "email",
    band: "high",
    until,
    before: ID,
    limit: "5",
  })
  assert.equal(search?.method, "POST")
  assert.equal(search.url, "/api/v1/decisions/search")
  assert.deepEqual(JSON.parse(search.body), { email: EMAIL, action: "block" })
})

test("a comparison names the versions in its query, and another decision's is not taken for it", async () => {
  const { recorded } = decision
  const side = { model_version: "1.0", policy_version: null, ...recorded }
  const comparison = {
    id: ID,
    decided_at: decision.decided_at,
    subject: "email",
    recorded: side,
    other: side,
    summary: "",
    contributions: [],
    notes: [],
    models: ["1.0"],
  }
  const server = await startTestServer(
    json(200, comparison),
    json(200, comparison),
    json(200, { ...comparison, id: ID.replace("dec_0", "dec_1") }),
  )
  const client = clientOf(server.url)
  assert.deepEqual(await client.compareDecision(ID), comparison)
  await client.compareDecision(ID, { model: "1.0", policy: 3 })
  await assert.rejects(client.compareDecision(ID), AssayUnavailable)
  assert.deepEqual(
    server.seen.slice(0, 2).map(({ url }) => url),
    [`/api/v1/decisions/${ID}/compare`, `/api/v1/decisions/${ID}/compare?model=1.0&policy=3`],
  )
})

test("a decision that is not there rejects, whatever failover says", async () => {
  const missing = await startTestServer(problem(404, { code: "decision-not-found" }))
  const gone = await startTestServer(cut)
  for (const { url } of [missing, gone]) {
    const client = createClient({ baseUrl: url, apiKey: KEY, retries: 0, failover: "allow" })
    await assert.rejects(client.getDecision(ID), (error) =>
      url === missing.url
        ? error instanceof AssayProblem && error.code === "decision-not-found"
        : error instanceof AssayUnavailable,
    )
  }
})
