// The client against the service itself.
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { resolve } from "node:path"
import { after, before, suite, test } from "node:test"
import { promisify } from "node:util"
import {
  AssayProblem,
  AssayUnavailable,
  type ClientOptions,
  createClient,
  type EmailRiskResult,
  type Failover,
  type ScoredItem,
} from "@assay/client"
import { ofOneNode } from "./about-one-node.ts"
import { type Service, startService } from "./service.ts"

const run = promisify(execFile)
// Far more than the service needs, so that a busy machine fails no test that is not about time.
const AMPLE = { timeoutMs: 120_000 }

suite("the client with the service", () => {
  let service: Service
  before(async () => void (service = await startService()))
  after(() => service.stop())

  const clientOf = <const F extends Failover = "throw">(options: Partial<ClientOptions<F>> = {}) =>
    createClient<F>({ baseUrl: service.baseUrl, apiKey: service.key ?? "", ...AMPLE, ...options })

  test("a context goes with the address and acts on its answer; without one nothing changes", async () => {
    const email = "context.of.mine@mail.example"
    const plain = await clientOf().scoreEmail(email, { explain: true })
    assert.ok(!("context" in plain.explanation))
    const context = { event: "other", anomaly: 1 } as const
    const odd = await clientOf().scoreEmail(email, { explain: true, context })
    assert.ok(odd.risk_score > plain.risk_score)
    assert.ok("context" in odd.explanation)
  })

  for (const [email, stage, action] of [
    ["omar.haddad@mail.example", "CLEAN", "allow"],
    ["ana.silva@mail.example", "LEAKED", "step_up_auth"],
    ["sofia.rossi@mail.example", "ATTACKED", "block"],
  ] as const) {
    test(`${email} is ${stage}: ${action}`, async () => {
      const result = await clientOf().scoreEmail(email)
      assert.equal(result.email, email)
      assert.equal(result.threat_stage, stage)
      assert.equal(result.recommended_action, action)
      assert.equal(result.exposed, stage !== "CLEAN")
      assert.equal(Object.hasOwn(result, "explanation"), false)
    })
  }

  test("a context goes with the number and acts on its answer", async () => {
    const phone = "+61491570156"
    const plain = await clientOf().scorePhone(phone, { explain: true })
    assert.ok(!("context" in plain.explanation))
    const context = {
      account_id: "a",
      last_verified_at: new Date().toISOString(),
      verified_by: "other",
    } as const
    const proved = await clientOf().scorePhone(phone, { explain: true, context })
    assert.ok("context" in proved.explanation)
    assert.ok(proved.risk_score < plain.risk_score)
  })

  test("a number whose SIM changed two hours ago is riskier than one with years of service", async () => {
    const swapped = await clientOf().scorePhone("+61491570156")
    const settled = await clientOf().scorePhone("+61491570159")
    assert.equal(swapped.sim_change_detected, true)
    assert.equal(settled.sim_change_detected, false)
    assert.ok(swapped.risk_score > settled.risk_score)
    assert.equal(swapped.phone_number, "+61491570156")
  })

  test("an explanation comes when it is asked for", async () => {
    const email = await clientOf().scoreEmail("ana.silva@mail.example", { explain: true })
    const phone = await clientOf().scorePhone("+61491570156", { explain: true })
    assert.ok(Object.keys(email.explanation).length > 0)
    assert.ok(Object.keys(phone.explanation).length > 0)
  })

  test("feedback moves the next score, and undone leaves it as it was", async () => {
    const client = clientOf()
    const email = "maria.lopez@mail.example"
    const before = await client.scoreEmail(email)
    const { id } = await client.sendFeedback({ email, outcome: "takeover_confirmed" })
    assert.equal((await client.scoreEmail(email)).threat_stage, "ATTACKED")
    await client.undoFeedback(id)
    assert.deepEqual(await client.scoreEmail(email), before)
    await client.undoFeedback(id)
    const once = { idempotencyKey: "case-7" }
    const said = await client.sendFeedback({ email, outcome: "clear" }, once)
    assert.deepEqual(await client.sendFeedback({ email, outcome: "clear" }, once), said)
    await assert.rejects(client.sendFeedback({ email, outcome: "not_fraud" }, once), {
      code: "idempotency-mismatch",
    })
  })

  test("text beyond ASCII comes back as it was sent", async () => {
    for (const email of ["zoë@münchen.example", '"o\\"k"@mail.example', " ana@mail.example "])
      assert.equal((await clientOf().scoreEmail(email)).email, email)
  })

  test("a refusal is a problem with the request's id, failover or not", async () => {
    const client = clientOf({ failover: "allow" })
    await assert.rejects(client.scoreEmail("nobody", { requestId: "client-1" }), (error) => {
      assert.ok(error instanceof AssayProblem)
      assert.equal(error.code, "not-an-email")
      assert.equal(error.status, 422)
      assert.equal(error.requestId, "client-1")
      assert.ok(error.detail)
      return true
    })
    await assert.rejects(client.scorePhone("0491 570 156"), { code: "not-a-phone-number" })
    await assert.rejects(client.scoreEmail(7 as never), (error) => {
      assert.ok(error instanceof AssayProblem)
      assert.equal(error.code, "invalid-request")
      assert.match(error.errors[0]?.pointer ?? "", /\/email$/)
      return true
    })
    await assert.rejects(client.scoreEmail(`${"a".repeat(20_000)}@mail.example`), {
      code: "body-too-large",
    })
    const stranger = clientOf({ apiKey: "ask_live_unknown", failover: "allow" })
    await assert.rejects(stranger.scoreEmail("ana@mail.example"), { code: "unauthenticated" })
    await assert.rejects(clientOf({ baseUrl: `${service.baseUrl}/x` }).scorePhone("+1"), {
      code: "not-found",
    })
  })

  test("many at once come back in order, as a batch and as a stream", async () => {
    const emails = Array.from({ length: 2500 }, (_, n) => `person${n}@mail.example`)
    const asked = [...emails, "nobody", "sofia.rossi@mail.example"]
    const outcomes = (items: readonly ScoredItem<EmailRiskResult>[]): unknown[] =>
      items.map(({ index, result, problem }) => [index, result?.email ?? problem?.code])
    const expected = asked.map((email, n) => [n, email === "nobody" ? "not-an-email" : email])
    const batch = await clientOf().scoreEmails(asked)
    assert.deepEqual(outcomes(batch), expected)
    assert.equal(batch.at(-1)?.result?.threat_stage, "ATTACKED")
    const streamed: ScoredItem<EmailRiskResult>[] = []
    for await (const item of clientOf().scoreEmailStream(asked)) streamed.push(item)
    assert.deepEqual(outcomes(streamed), expected)
    const [phone] = await clientOf().scorePhones(["+61491570156"], { explain: true })
    assert.equal(phone?.result?.sim_change_detected, true)
    assert.ok(phone.result.explanation !== undefined)
  })

  const skip = ofOneNode("it stops the processes of one node")
  test(
    "a service that hangs is given up on in time, and one that goes on is used again",
    { skip },
    async () => {
      const client = clientOf({ failover: "challenge" })
      process.kill(-service.pid, "SIGSTOP")
      try {
        const answer = await client.scoreEmail("ana.silva@mail.example", { timeoutMs: 500 })
        assert.ok(answer.failover)
        assert.equal(answer.action, "step_up_auth")
        assert.ok(answer.cause instanceof AssayUnavailable)
        assert.equal(answer.cause.reason, "timeout")
      } finally {
        process.kill(-service.pid, "SIGCONT")
      }
      const answer = await client.scoreEmail("ana.silva@mail.example")
      assert.ok(!answer.failover)
      assert.equal(answer.threat_stage, "LEAKED")
    },
  )

  test("the example prints a line for each identity", async () => {
    const example = resolve(import.meta.dirname, "../../examples/score.ts")
    const identities = ["sofia.rossi@mail.example", "+61491570156", "nobody"]
    const { stdout } = await run(
      process.execPath,
      ["--conditions=source", example, ...identities],
      { env: { BASE_URL: service.baseUrl, API_KEY: service.key ?? "" } },
    )
    const [email, phone, refused, ...rest] = stdout.trimEnd().split("\n")
    assert.match(email ?? "", /^\d+ block: \S/)
    assert.match(phone ?? "", /^\d+ (block|step_up_auth): \S/)
    assert.match(refused ?? "", /^refused: .*not-an-email/)
    assert.deepEqual(rest, [])
  })

  test("nothing that was sent is in the service's log", () => {
    const log = service.stderr()
    assert.match(log, /"requestId":"client-1"/)
    assert.doesNotMatch(log, /mail\.example|nobody|49157|ask_/)
  })
})

test("a service that is gone fails over, and comes back", async () => {
  const first = await startService()
  const client = createClient({
    baseUrl: first.baseUrl,
    apiKey: first.key ?? "",
    failover: "deny",
    ...AMPLE,
  })
  assert.equal((await client.scoreEmail("omar.haddad@mail.example")).failover, undefined)
  await first.kill()
  const answer = await client.scoreEmail("omar.haddad@mail.example")
  assert.ok(answer.failover)
  assert.equal(answer.action, "block")
  assert.ok(answer.cause instanceof AssayUnavailable)
  assert.equal(answer.cause.reason, "network")
  const { dataDirectory, port } = first
  const second = await startService({ dataDirectory, env: { PORT: String(port) } })
  const again = await client.scoreEmail("omar.haddad@mail.example")
  assert.ok(!again.failover)
  assert.equal(again.threat_stage, "CLEAN")
  assert.equal(await second.stop(), 0)
  await first.stop()
})
