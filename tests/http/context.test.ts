import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import { createKey } from "../cli/assay.ts"
import { type Service, startService } from "./service.ts"
import { filesBelow } from "./search.ts"
import { temporaryDirectory } from "./temporary.ts"

const temporary = temporaryDirectory()

// One for the tests that need no restart: each has tenants, devices and mailboxes of its own.
let service: Service
before(async () => {
  service = await startService({ args: ["--workers", "2"] })
})
after(() => service.stop())

interface Body {
  readonly risk_score: number
  readonly confidence: string
  readonly risk_reasons: readonly string[]
  readonly recommended_action: string
  readonly explanation?: {
    readonly band: string
    readonly input: {
      readonly trust: Record<string, unknown>
      readonly coverage: Record<string, number>
    }
    readonly context?: { counted: boolean; signups_24h: Record<string, number | null> | null }
    decision_id?: string | null
  }
}

async function score(
  service: Service,
  email: string,
  context?: unknown,
  key = service.key,
): Promise<Body> {
  const answer = await service.request("/api/v1/risk/score?explain=true", {
    key,
    json: context === undefined ? { email } : { email, context },
    // A new connection each, so that workers take turns.
    headers: { connection: "close" },
  })
  assert.equal(answer.status, 200)
  const body = (await answer.json()) as Body
  // Each answer has its own.
  delete body.explanation?.decision_id
  return body
}

function counts({ explanation }: Body): Record<string, number | null> | null | undefined {
  return explanation?.context?.signups_24h
}

function keyOf(service: Service, tenant: string): Promise<string> {
  return createKey(service, "--tenant", tenant, "--plan", "enterprise")
}

test("a bot ring (disposable addresses, eight sign-ups on a device, an act after five seconds) is critical and says why", async () => {
  for (let n = 1; n <= 8; n++) {
    const context = { event: "signup", device_id: "ring", ip: `203.0.113.${n}` }
    const body = await score(service, `buyer${n}7@throwaway.example`, context)
    // Both workers take part, and both count what the other saw.
    assert.deepEqual(counts(body), { device: n, network: n, mailbox: 1, cluster: n })
  }
  const now = Date.now()
  const body = await score(service, "buyer37@throwaway.example", {
    event: "transaction",
    device_id: "ring",
    occurred_at: new Date(now).toISOString(),
    signup_at: new Date(now - 5000).toISOString(),
  })
  assert.ok(body.risk_score >= 80, String(body.risk_score))
  assert.equal(body.explanation?.band, "critical")
  assert.equal(body.recommended_action, "block")
  assert.ok(
    body.risk_reasons.includes("8 sign-ups from the same device or network in 24 hours"),
    body.risk_reasons.join("; "),
  )
  assert.ok(body.risk_reasons.includes("First action 5 seconds after sign-up"))
  const { trust, coverage } = body.explanation.input
  assert.deepEqual(
    [trust["velocity24h"], trust["signupToActionSec"], trust["clusterSize"], coverage["bot"]],
    [8, 5, 8, 0.5],
  )
})

test("an action soon after a recorded sign-up is recognised by account and by mailbox, without signup_at", async () => {
  const now = Date.now()
  const at = (seconds: number): string => new Date(now - seconds * 1000).toISOString()
  const seconds = async (email: string, context: object): Promise<unknown> =>
    (await score(service, email, context)).explanation?.input.trust["signupToActionSec"]
  const made = { event: "sign-up", account_id: "a1", occurred_at: at(30) }
  assert.equal(await seconds("mei@mail.example", made), undefined)
  const act = { event: "transaction", occurred_at: at(10) }
  assert.equal(await seconds("mei+x@mail.example", act), 20)
  assert.equal(await seconds("other@mail.example", { ...act, account_id: "a1" }), 20)
  assert.equal(await seconds("other@mail.example", act), undefined)
  assert.equal(await seconds("mei@mail.example", { ...act, signup_at: at(3610) }), 3600)
})

test("kill -9 and a start later the counts go on", async () => {
  const data = join(temporary, "restart")
  const service = await startService({ dataDirectory: data })
  for (let n = 0; n < 4; n++)
    await score(service, `p${n}@mail.example`, { event: "sign-up", device_id: "d", ip: "::1" })
  await service.kill()
  await using again = await startService({ dataDirectory: data })
  const context = { event: "sign-up", device_id: "d", ip: "::2" }
  assert.deepEqual(counts(await score(again, "p9@mail.example", context)), {
    device: 5,
    network: 5,
    mailbox: 1,
    cluster: 5,
  })
  // Again the same: a request may be repeated.
  assert.equal(counts(await score(again, "p9@mail.example", context))?.["device"], 5)
  assert.doesNotMatch(again.stderr(), /damaged|unknown format/)
})

test("what one tenant sends changes no byte of another's answers", async () => {
  const [one, other] = [await keyOf(service, "one"), await keyOf(service, "other")]
  const context = { event: "login", device_id: "d", ip: "203.0.113.7", account_id: "a" }
  const asked = async (): Promise<string> =>
    JSON.stringify([
      await score(service, "x1@mail.example", context, other),
      await score(service, "x1@mail.example", undefined, other),
    ])
  const before = await asked()
  for (let n = 0; n < 8; n++)
    await score(service, `x${n}@mail.example`, { ...context, event: "sign-up" }, one)
  assert.equal(counts(await score(service, "x1@mail.example", context, one))?.["device"], 8)
  assert.equal(await asked(), before)
})

test("without context, or with null, nothing of it is in the answer, also after others had one", async () => {
  const plain = await score(service, "ana.silva@mail.example")
  assert.ok(!("context" in (plain.explanation ?? {})))
  assert.equal(plain.explanation?.input.coverage["bot"], 0)
  await score(service, "ana.silva@mail.example", { event: "sign-up", device_id: "d" })
  assert.deepEqual(await score(service, "ana.silva@mail.example"), plain)
  assert.deepEqual(await score(service, "ana.silva@mail.example", null), plain)
  const nulls = { event: null, ip: null, device_id: null, anomaly: null, unknown: { member: [1] } }
  // Another address: this one's sign-up is recorded, and each answer is some seconds further from
  // it.
  const empty = await score(service, "mei.tanaka@mail.example", {})
  assert.deepEqual(await score(service, "mei.tanaka@mail.example", nulls), empty)
  assert.equal(empty.explanation?.input.coverage["bot"], 0.5)
})

test("a wrong context is 400 with the pointer of the member, and nothing was counted", async () => {
  const recorded = (): string[] => {
    const context = join(service.dataDirectory, "context")
    return readdirSync(context).map((name) => name + readFileSync(join(context, name), "latin1"))
  }
  const before = recorded()
  const now = Date.now()
  const at = (ms: number): string => new Date(now + ms).toISOString()
  const cases: [unknown, string, RegExp][] = [
    ["text", "#/context", /must be of type object/],
    [[], "#/context", /must be of type object/],
    [
      { event: "purchase" },
      "#/context/event",
      /one of sign-up, signup, login, transaction, other$/,
    ],
    [{ event: 1 }, "#/context/event", /must be of type string/],
    [{ ip: 7 }, "#/context/ip", /must be of type string/],
    [{ ip: "203.0.113.700" }, "#/context/ip", /IPv4 or IPv6/],
    [{ ip: "" }, "#/context/ip", /must not be empty/],
    [{ device_id: { id: 1 } }, "#/context/device_id", /must be of type string/],
    [{ device_id: "d".repeat(257) }, "#/context/device_id", /at most 256 characters/],
    [{ user_agent: "u".repeat(1025) }, "#/context/user_agent", /at most 1024 characters/],
    [{ account_id: true }, "#/context/account_id", /must be of type string/],
    [{ anomaly: "0.5" }, "#/context/anomaly", /must be of type number/],
    [{ anomaly: 1.01 }, "#/context/anomaly", /at most 1/],
    [{ anomaly: -0.01 }, "#/context/anomaly", /at least 0/],
    [{ occurred_at: 1763114400 }, "#/context/occurred_at", /must be of type string/],
    [{ occurred_at: "yesterday" }, "#/context/occurred_at", /RFC 3339/],
    [{ occurred_at: "2026-11-14" }, "#/context/occurred_at", /RFC 3339/],
    [{ occurred_at: "2026-02-30T00:00:00Z" }, "#/context/occurred_at", /RFC 3339/],
    [{ occurred_at: at(6 * 60_000) }, "#/context/occurred_at", /future/],
    [{ occurred_at: at(-49 * 3_600_000) }, "#/context/occurred_at", /48 hours/],
    [{ signup_at: "never" }, "#/context/signup_at", /RFC 3339/],
    [{ signup_at: at(60_000) }, "#/context/signup_at", /after occurred_at/],
  ]
  for (const [context, pointer, detail] of cases) {
    const answer = await service.request("/api/v1/risk/score", {
      json: { email: "canary.zqx@mail.example", context },
    })
    const text = await answer.text()
    assert.equal(answer.status, 400, text)
    const { code, errors } = JSON.parse(text) as {
      code: string
      errors: { pointer: string; detail: string }[]
    }
    assert.equal(code, "invalid-request")
    assert.equal(errors.length, 1)
    assert.equal(errors[0]?.pointer, pointer)
    assert.match(errors[0].detail, detail)
    assert.doesNotMatch(text, /canary|purchase|yesterday|never|113\.700/)
  }
  assert.deepEqual(recorded(), before)
})

test("nothing a context says is in any file, log line, metric or header, running, killed or started again", async () => {
  const data = join(temporary, "canaries")
  const CANARIES = [
    "canary-device",
    "canary-agent",
    "canary-account",
    "canary.person",
    "canary.person".replace(".", ""),
    "198.51.100",
    Buffer.from([198, 51, 100, 23]).toString("hex"),
    Buffer.from([198, 51, 100, 23]).toString("latin1"),
    Buffer.from("canary-device").toString("base64").slice(0, 16),
    Buffer.from("canary-device").toString("hex"),
  ]
  const search = (service: Service): void => {
    const logged = service.stderr() + service.stdout()
    for (const canary of CANARIES) assert.ok(!logged.includes(canary), `the log holds ${canary}`)
    for (const { path, bytes } of filesBelow(data))
      for (const canary of CANARIES)
        assert.ok(!bytes.toString("latin1").includes(canary), `${path} holds ${canary}`)
  }
  const env = { ASSAY_LOG_LEVEL: "debug" }
  const context = {
    event: "sign-up",
    ip: "198.51.100.23",
    device_id: "canary-device",
    user_agent: "canary-agent",
    account_id: "canary-account",
  }
  const send = async (service: Service): Promise<void> => {
    for (const given of [
      context,
      { ...context, event: "login" },
      { ...context, ip: "canary-ip" },
    ]) {
      const answer = await service.request("/api/v1/risk/score", {
        json: { email: "canary.person@mail.example", context: given },
      })
      const headers = JSON.stringify([...answer.headers])
      const body = answer.status === 200 ? "" : await answer.text()
      for (const canary of [...CANARIES, "canary-ip"])
        assert.ok(!(headers + body).includes(canary), canary)
    }
    const metrics = await (await service.request("/metrics")).text()
    for (const canary of CANARIES) assert.ok(!metrics.includes(canary), canary)
  }
  const service = await startService({ dataDirectory: data, env })
  await send(service)
  assert.equal(readdirSync(join(data, "context")).length, 1)
  search(service)
  await service.kill()
  search(service)
  const again = await startService({ dataDirectory: data, env })
  await send(again)
  await again.stop()
  search(again)
})
