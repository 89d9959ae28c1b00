import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { inspect } from "node:util"
import { AssayProblem, AssayUnavailable, createClient } from "./index.ts"
import {
  AMPLE,
  clientOf,
  cut,
  EMAIL,
  json,
  KEY,
  problem,
  type Reply,
  silence,
  startTestServer,
} from "../testing/test-server.ts"

const ID = "fb_01a1de16da8d3dc60018f4cb25e7"
const feedback = { email: EMAIL, outcome: "takeover_confirmed", loss: 12.5 } as const
const receipt = json(202, { id: ID })
const gone: Reply = (response) => void response.writeHead(204).end()
const running = problem(409, { code: "idempotency-in-progress" }, { "retry-after": "0" })
const half: Reply = (response) => {
  response.writeHead(202, { "content-type": "application/json", "content-length": "400" })
  response.write('{"id":', () => response.socket?.destroy())
}

suite("feedback", () => {
  test("is sent with a key of its own and resolves to its id", async () => {
    const server = await startTestServer(receipt)
    const client = clientOf(server.url)
    assert.deepEqual(await client.sendFeedback(feedback, { requestId: "case:7" }), { id: ID })
    await client.sendFeedback(feedback)
    const [first, second] = server.seen
    assert.deepEqual([first?.method, first?.url], ["POST", "/api/v1/feedback"])
    assert.equal(first?.body, JSON.stringify(feedback))
    assert.equal(first.headers["content-type"], "application/json")
    assert.equal(first.headers["x-request-id"], "case:7")
    assert.match(String(first.headers["idempotency-key"]), /^[0-9a-f]{32}$/)
    assert.notEqual(second?.headers["idempotency-key"], first.headers["idempotency-key"])
  })

  for (const [name, failure] of [
    ["no response", cut],
    ["half a response", half],
    ["a 503", problem(503, { code: "store-unavailable" }, { "retry-after": "0" })],
    ["the first one still under way", running],
  ] as const) {
    test(`is sent again under the same key after ${name}`, async () => {
      const server = await startTestServer(failure, receipt)
      assert.deepEqual(await clientOf(server.url).sendFeedback(feedback), { id: ID })
      const keys = server.seen.map(({ headers }) => headers["idempotency-key"])
      assert.equal(keys.length, 2)
      assert.equal(new Set(keys).size, 1)
    })
  }

  test("goes under the key it is given, or not at all", async () => {
    const server = await startTestServer(receipt)
    const client = clientOf(server.url)
    await client.sendFeedback(feedback, { idempotencyKey: "case-7" })
    assert.equal(server.seen[0]?.headers["idempotency-key"], "case-7")
    for (const idempotencyKey of ["", "a b", "é", "x".repeat(256), "a\nb"])
      await assert.rejects(client.sendFeedback(feedback, { idempotencyKey }), TypeError)
    assert.equal(server.seen.length, 1)
  })

  test("rejects whatever failover says, since nothing can stand in for it", async () => {
    const server = await startTestServer(problem(503, { code: "store-unavailable" }))
    const client = createClient({
      baseUrl: server.url,
      apiKey: KEY,
      retries: 0,
      failover: "allow",
      ...AMPLE,
    })
    await assert.rejects(client.sendFeedback(feedback), AssayProblem)
    await assert.rejects(client.undoFeedback(ID), AssayProblem)
  })

  test("that is refused is not sent again", async () => {
    for (const [status, code] of [
      [400, "invalid-request"],
      [403, "insufficient-scope"],
      [422, "idempotency-mismatch"],
    ] as const) {
      const server = await startTestServer(problem(status, { code }), receipt)
      await assert.rejects(clientOf(server.url).sendFeedback(feedback), { code, status })
      assert.equal(server.seen.length, 1)
    }
  })

  test("has five seconds where the client has fewer, and what the call gives it", async () => {
    const server = await startTestServer(silence)
    const hasty = clientOf(server.url, { timeoutMs: 50 })
    const late = (ms: number) => (error: unknown) => {
      assert.ok(error instanceof AssayUnavailable, inspect(error))
      assert.equal(error.reason, "timeout")
      assert.match(error.message, new RegExp(`within ${ms} ms`))
      return true
    }
    await assert.rejects(hasty.sendFeedback(feedback, { timeoutMs: 60 }), late(60))
    await assert.rejects(hasty.sendFeedback(feedback), late(5000))
  })

  test("acknowledged by something else than the service was not acknowledged", async () => {
    for (const reply of [
      json(202, {}),
      json(202, { id: 7 }),
      json(202, { id: "7" }),
      json(200, { id: ID }),
    ] as const) {
      const server = await startTestServer(reply)
      await assert.rejects(clientOf(server.url).sendFeedback(feedback), { reason: "protocol" })
    }
  })
})

suite("undoing feedback", () => {
  test("names it in the path, without a body, and is sent again when cut off", async () => {
    const server = await startTestServer(cut, gone)
    await clientOf(server.url).undoFeedback(ID)
    const seen = server.seen.at(-1)
    assert.deepEqual([seen?.method, seen?.url], ["DELETE", `/api/v1/feedback/${ID}`])
    assert.equal(seen?.body, "")
    assert.equal(seen.headers["content-type"], undefined)
    assert.equal(seen.headers.authorization, `Bearer ${KEY}`)
  })

  test("that does not exist says so", async () => {
    const server = await startTestServer(problem(404, { code: "feedback-not-found" }))
    await assert.rejects(clientOf(server.url).undoFeedback(ID), { code: "feedback-not-found" })
  })

  test("puts nothing into a path that is no id", async () => {
    const server = await startTestServer(gone)
    for (const id of [EMAIL, "", "fb_1", `${ID}/..`, `${ID}?x`])
      await assert.rejects(clientOf(server.url).undoFeedback(id), TypeError)
    assert.equal(server.seen.length, 0)
  })
})
