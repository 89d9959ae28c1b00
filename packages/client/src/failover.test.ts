import assert from "node:assert/strict"
import { suite, test } from "node:test"
import {
  AssayProblem,
  AssayUnavailable,
  createClient,
  type Failover,
  type FailoverAnswer,
} from "./index.ts"
import { FAILOVERS } from "./failover.ts"
import {
  cut,
  EMAIL,
  emailResult,
  json,
  KEY,
  PHONE,
  phoneResult,
  problem,
  type Reply,
  silence,
  startTestServer,
} from "../testing/test-server.ts"

const page =
  (status: number): Reply =>
  (response) =>
    void response.writeHead(status, { "content-type": "text/html" }).end("<h1>No</h1>")

const unanswered: Record<string, Reply> = {
  "a connection that is cut": cut,
  silence: silence,
  "a page where a result should be": page(200),
  "a rate limit": problem(429, { code: "rate-limited" }, { "retry-after": "60" }),
  "a used-up quota": problem(429, { code: "quota-exceeded" }, { "retry-after": "90000" }),
  "a fault of the service": problem(500, { code: "internal-error" }),
  "a store that cannot be read": problem(503, { code: "store-unavailable" }),
  "a request cut off on its way": problem(408, { code: "request-timeout" }),
  "a gateway without a service": page(502),
}

const refused: Record<string, Reply> = {
  "a malformed request": problem(400, { code: "invalid-request" }),
  "a wrong key": problem(401, { code: "unauthenticated" }),
  "a key without the scope": problem(403, { code: "insufficient-scope" }),
  "a wrong path": problem(404, { code: "not-found" }),
  "an address that is too long": problem(413, { code: "body-too-large" }),
  "no address at all": problem(422, { code: "not-an-email" }),
  "a firewall before the service": page(403),
  "a site that is not the service": page(404),
}

const options = { apiKey: KEY, timeoutMs: 1000, retries: 0 }

suite("failover", () => {
  for (const [name, reply] of Object.entries(unanswered)) {
    test(`says what to do, and nothing about the identity, after ${name}`, async () => {
      const { url: baseUrl } = await startTestServer(reply)
      const answered = async (failover: Exclude<Failover, "throw">, action: string) => {
        const client = createClient({ ...options, baseUrl, failover })
        const calls = [client.scoreEmail(EMAIL), client.scorePhone(PHONE)]
        for (const answer of await Promise.all<object>(calls)) {
          const { cause, ...rest } = answer as FailoverAnswer
          assert.deepEqual(rest, { failover: true, action })
          assert.ok(cause instanceof AssayProblem || cause instanceof AssayUnavailable)
        }
      }
      await Promise.all([
        answered("allow", "allow"),
        answered("deny", "block"),
        answered("challenge", "step_up_auth"),
      ])
      await assert.rejects(createClient({ ...options, baseUrl }).scoreEmail(EMAIL))
    })
  }

  for (const [name, reply] of Object.entries(refused)) {
    test(`does not cover up ${name}`, async () => {
      const { url: baseUrl } = await startTestServer(reply)
      for (const failover of ["allow", "deny", "challenge"] as const) {
        const client = createClient({ ...options, baseUrl, failover })
        await assert.rejects(client.scoreEmail(EMAIL), /^Assay(Problem|Unavailable)/)
        await assert.rejects(client.scorePhone(PHONE), /^Assay(Problem|Unavailable)/)
      }
    })
  }

  test("leaves a real answer as it is", async () => {
    const email = await startTestServer(json(200, emailResult))
    const phone = await startTestServer(json(200, phoneResult))
    const client = createClient({ ...options, baseUrl: email.url, failover: "deny" })
    assert.deepEqual(await client.scoreEmail(EMAIL), emailResult)
    const phones = createClient({ ...options, baseUrl: phone.url, failover: "deny" })
    assert.deepEqual(await phones.scorePhone(PHONE), phoneResult)
  })

  test("does not hide a wrong argument", async () => {
    const { url: baseUrl } = await startTestServer(json(200, emailResult))
    const client = createClient({ ...options, baseUrl, failover: "allow" })
    await assert.rejects(client.scoreEmail(EMAIL, { timeoutMs: -1 }), TypeError)
  })

  test("is in the type: a score can be read only after asking which answer it is", async () => {
    const { url: baseUrl } = await startTestServer(json(200, emailResult))
    const plain = await createClient({ ...options, baseUrl }).scoreEmail(EMAIL)
    assert.equal(plain.risk_score, 42)
    const thrown = await createClient({ ...options, baseUrl, failover: "throw" }).scoreEmail(EMAIL)
    assert.equal(thrown.risk_score, 42)
    const answer = await createClient({ ...options, baseUrl, failover: "deny" }).scoreEmail(EMAIL)
    // @ts-expect-error it may be the stand-in, which has no score
    assert.equal(answer.risk_score, 42)
    const score: number | "block" = answer.failover ? answer.action : answer.risk_score
    assert.equal(score, 42)
    const chosen: Failover = [...FAILOVERS][1] as Failover
    const either = await createClient({ ...options, baseUrl, failover: chosen }).scoreEmail(EMAIL)
    assert.equal(either.failover ? either.action : either.risk_score, 42)
    const standIn: FailoverAnswer<"deny"> | null = answer.failover ? answer : null
    assert.equal(standIn, null)
  })
})
