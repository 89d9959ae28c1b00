import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { AssayProblem, AssayUnavailable, type Client, createClient } from "./index.ts"
import {
  emailResult,
  json,
  KEY,
  phoneResult,
  problem,
  type Reply,
  startTestServer,
} from "../testing/test-server.ts"

function clientOf(baseUrl: string, failover: "throw" | "allow" = "throw"): Client {
  return createClient({ baseUrl, apiKey: KEY, failover }) as Client
}

/** Answers each address with a result; those called "bad" with a problem. */
const answering: Reply = (response, { body }) => {
  const { emails } = JSON.parse(body) as { emails: string[] }
  const results = emails.map((email, index) =>
    email.startsWith("bad")
      ? { index, problem: { code: "not-an-email", status: 422, detail: "No." } }
      : { index, result: { ...emailResult, email } },
  )
  json(200, { results })(response, { method: "", url: "", headers: {}, body })
}

suite("many identities", () => {
  test("come back in their order, each with its result or its problem", async () => {
    const server = await startTestServer(answering)
    const items = await clientOf(server.url).scoreEmails(["a@b.example", "bad", "c@d.example"])
    assert.deepEqual(
      items.map(({ index, result, problem }) => [index, result?.email, problem?.code]),
      [
        [0, "a@b.example", undefined],
        [1, undefined, "not-an-email"],
        [2, "c@d.example", undefined],
      ],
    )
    assert.ok(items[1]?.problem instanceof AssayProblem)
    assert.equal(items[1].problem.detail, "No.")
    const [seen] = server.seen
    assert.equal(seen?.url, "/api/v1/risk/score/batch")
    assert.equal(seen.body, JSON.stringify({ emails: ["a@b.example", "bad", "c@d.example"] }))
    assert.equal(server.seen.length, 1)
  })

  test("of phones go to their own operation", async () => {
    const number = phoneResult.phone_number
    const server = await startTestServer(
      json(200, { results: [{ index: 0, result: phoneResult }] }),
    )
    const [item] = await clientOf(server.url).scorePhones([number])
    assert.deepEqual(item, { index: 0, result: phoneResult })
    assert.equal(server.seen[0]?.url, "/api/v1/phone-risk/batch")
    assert.equal(server.seen[0].body, JSON.stringify({ phone_numbers: [number] }))
  })

  test("past what one request may have go in several, by number and by bytes", async () => {
    const server = await startTestServer(answering)
    const emails = Array.from({ length: 2100 }, (_, n) => `p${n}@mail.example`)
    const items = await clientOf(server.url).scoreEmails(emails)
    assert.ok(items.every(({ index, result }, n) => index === n && result?.email === emails[n]))
    assert.equal(items.length, 2100)
    assert.equal(server.seen.length, 3)
    const long = Array.from({ length: 30 }, (_, n) => `${"é".repeat(20_000)}${n}@mail.example`)
    assert.equal((await clientOf(server.url).scoreEmails(long)).length, 30)
    for (const { body } of server.seen) assert.ok(Buffer.byteLength(body) <= 512 * 1024)
    assert.equal(server.seen.length, 6)
  })

  test("none of them is none, and nothing is sent", async () => {
    const server = await startTestServer(answering)
    assert.deepEqual(await clientOf(server.url).scoreEmails([]), [])
    assert.equal(server.seen.length, 0)
  })

  for (const [what, results] of Object.entries({
    "fewer items": [{ index: 0, result: { ...emailResult, email: "a@b.example" } }],
    "another identity": [
      { index: 0, result: { ...emailResult, email: "a@b.example" } },
      { index: 1, result: { ...emailResult, email: "a@b.example" } },
    ],
    "another order": [
      { index: 1, result: { ...emailResult, email: "c@d.example" } },
      { index: 0, result: { ...emailResult, email: "a@b.example" } },
    ],
    "an unknown problem": [
      { index: 0, result: { ...emailResult, email: "a@b.example" } },
      { index: 1, problem: { code: "toString", status: 500 } },
    ],
    "no items": { length: 2 },
  })) {
    test(`with ${what} in the answer are not the service's answer`, async () => {
      const server = await startTestServer(json(200, { results }))
      await assert.rejects(
        clientOf(server.url).scoreEmails(["a@b.example", "c@d.example"]),
        (error) => error instanceof AssayUnavailable && error.reason === "protocol",
      )
    })
  }

  test("reject as a whole when the request fails, also with a failover", async () => {
    const server = await startTestServer(problem(503, { code: "store-unavailable" }))
    await assert.rejects(clientOf(server.url, "allow").scoreEmails(["a@b.example"]), {
      name: "AssayProblem",
      code: "store-unavailable",
    })
  })
})
