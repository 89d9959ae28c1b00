import assert from "node:assert/strict"
import { test } from "node:test"
import { AssayProblem, AssayUnavailable, createClient, type Review } from "./index.ts"
import { json, KEY, startTestServer } from "../testing/test-server.ts"

const ID = "dec_01kjmma2g00000000000000000"
const review: Review = {
  id: ID,
  decided_at: "2026-03-01T12:00:00.000Z",
  subject: "email",
  risk_score: 85,
  band: "critical",
  threat_stage: "ATTACKED",
  recommended_action: "block",
  reasons: ["ATO_CONFIRMED"],
  ref: "order 17",
  state: "waiting",
  assignee: null,
  outcome: null,
  note: null,
  reviewed_at: null,
  reviewed_by: null,
  feedback_id: null,
}
const clientOf = (baseUrl: string) =>
  createClient({ baseUrl, apiKey: KEY, timeoutMs: 10_000, retries: 0, failover: "allow" })

test("each call of the queue is the request that the contract describes", async () => {
  const verdict = { outcome: "genuine", note: "known" } as const
  const bulk = { filter: { band: "critical" }, decide: verdict } as const
  const view = { id: "view_0123456789abcdef", name: "All", shared: true, filter: {} }
  const server = await startTestServer(
    json(200, { reviews: [review] }),
    ...Array.from({ length: 4 }, () => json(200, review)),
    json(200, { changed: 3, more: false }),
    json(200, { views: [view] }),
    json(200, view),
    json(200, {}),
    json(200, { groups: [] }),
  )
  const { review: queue } = clientOf(server.url)
  assert.deepEqual(await queue.list({ band: "critical", limit: "5" }), { reviews: [review] })
  assert.deepEqual(await queue.get(ID), review)
  await queue.assign(ID, { assignee: "me" })
  await queue.decide(ID, verdict)
  await queue.undo(ID)
  assert.deepEqual(await queue.change(bulk), { changed: 3, more: false })
  assert.deepEqual(await queue.views.list(), { views: [view] })
  await queue.views.save({ name: "All", shared: true, filter: {} })
  await queue.views.delete(view.id)
  await queue.outcomes(30)
  assert.deepEqual(
    server.seen.map(({ method, url }) => `${method} ${url}`),
    [
      "GET /api/v1/review?band=critical&limit=5",
      `GET /api/v1/review/${ID}`,
      `POST /api/v1/review/${ID}/assign`,
      `POST /api/v1/review/${ID}/decide`,
      `POST /api/v1/review/${ID}/undo`,
      "POST /api/v1/review/bulk",
      "GET /api/v1/review/views",
      "POST /api/v1/review/views",
      `DELETE /api/v1/review/views/${view.id}`,
      "GET /api/v1/review/outcomes?days=30",
    ],
  )
  assert.deepEqual(JSON.parse(server.seen[3]?.body ?? ""), verdict)
  assert.deepEqual(JSON.parse(server.seen[5]?.body ?? ""), bulk)
})

test("what is no answer of the queue rejects, whatever failover says, and no identity gets into a path", async () => {
  const decided = { code: "review-decided", title: "decided", status: 409, type: "about:blank" }
  const server = await startTestServer(json(200, {}), json(409, decided))
  const { review: queue } = clientOf(server.url)
  await assert.rejects(queue.get(ID), AssayUnavailable)
  await assert.rejects(queue.decide(ID, { outcome: "genuine" }), AssayProblem)
  assert.throws(() => queue.get("ana@mail.example"), TypeError)
  assert.equal(server.seen.length, 2)
})
