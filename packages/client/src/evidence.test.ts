import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { AssayProblem, createClient, type EvidenceLine, type EvidenceOutcome } from "./index.ts"
import {
  clientOf,
  cut,
  EMAIL,
  json,
  KEY,
  problem,
  startTestServer,
} from "../testing/test-server.ts"

const line: EvidenceLine = {
  email: EMAIL,
  kind: "breach",
  source: "soc",
  observed_at: "2026-11-02",
}
const refused = {
  code: "invalid-request",
  status: 400,
  detail: "A member of the line does not fit.",
}
const answer = (count: number) =>
  json(200, { results: Array.from({ length: count }, (_, index) => ({ index, status: "stored" })) })

suite("evidence", () => {
  test("is sent as one array under a key of its own and resolves to what became of each line", async () => {
    const results = [
      { index: 0, status: "stored" },
      { index: 1, status: "known" },
      { index: 2, problem: { ...refused, errors: [{ pointer: "#/kind", detail: "is missing" }] } },
    ]
    const server = await startTestServer(json(200, { results }))
    const [first, second, third] = await clientOf(server.url).sendEvidence([line, line, line])
    assert.deepEqual([first, second], results.slice(0, 2))
    assert.equal(third?.index, 2)
    assert.ok(third.problem instanceof AssayProblem)
    assert.deepEqual(third.problem.errors, [{ pointer: "#/kind", detail: "is missing" }])
    const [seen] = server.seen
    assert.deepEqual([seen?.method, seen?.url], ["POST", "/api/v1/evidence"])
    assert.deepEqual(JSON.parse(seen?.body ?? ""), [line, line, line])
    assert.match(String(seen?.headers["idempotency-key"]), /^[0-9a-f]{32}$/)
  })

  test("is sent again under the same key when cut off", async () => {
    const server = await startTestServer(cut, answer(1))
    await clientOf(server.url).sendEvidence([line], { idempotencyKey: "import-7" })
    assert.deepEqual(
      server.seen.map(({ headers }) => headers["idempotency-key"]),
      ["import-7", "import-7"],
    )
  })

  test("of more lines or bytes than a request may have goes in several, each under a key of its own", async () => {
    const lines = Array.from({ length: 10_001 }, () => line)
    const server = await startTestServer(answer(10_000), answer(1))
    const outcomes = await clientOf(server.url).sendEvidence(lines, { idempotencyKey: "a" })
    assert.deepEqual(
      outcomes.map(({ index }: EvidenceOutcome) => index),
      lines.map((_, n) => n),
    )
    assert.deepEqual(
      server.seen.map(({ headers }) => headers["idempotency-key"]),
      ["a", "a.1"],
    )
    const wide = Array.from({ length: 3 }, () => ({ ...line, item: "é".repeat(2_000_000) }))
    const second = await startTestServer(answer(1), answer(1), answer(1))
    assert.equal((await clientOf(second.url).sendEvidence(wide)).length, 3)
    assert.equal(second.seen.length, 3)
  })

  test("of no lines is not sent, nor under a key that cannot be one", async () => {
    const server = await startTestServer(answer(1))
    assert.deepEqual(await clientOf(server.url).sendEvidence([]), [])
    await assert.rejects(
      clientOf(server.url).sendEvidence([line], { idempotencyKey: "a b" }),
      TypeError,
    )
    assert.equal(server.seen.length, 0)
  })

  test("rejects whatever failover says, and is not sent again when refused", async () => {
    for (const [status, code] of [
      [403, "insufficient-scope"],
      [422, "idempotency-mismatch"],
    ] as const) {
      const server = await startTestServer(problem(status, { code }), answer(1))
      const client = createClient({ baseUrl: server.url, apiKey: KEY, failover: "allow" })
      await assert.rejects(client.sendEvidence([line]), { code, status })
      assert.equal(server.seen.length, 1)
    }
  })

  test("acknowledged by something else than the service was not acknowledged", async () => {
    for (const body of [
      {},
      { results: [] },
      { results: [{ index: 1, status: "stored" }] },
      { results: [{ index: 0, status: "perhaps" }] },
      { results: [{ index: 0, problem: { code: "what" } }] },
    ]) {
      const server = await startTestServer(json(200, body))
      await assert.rejects(clientOf(server.url).sendEvidence([line]), { reason: "protocol" })
    }
  })
})
