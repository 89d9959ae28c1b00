// What counts toward a plan's limits, and for whom, on the application in this process.
import assert from "node:assert/strict"
import { test } from "node:test"
import type { Caller, Callers } from "../../packages/server/src/accounts/callers.ts"
import { type Plan, plans } from "../../packages/server/src/accounts/plans.ts"
import { ITEMS_AT_ONCE } from "../../packages/server/src/score/many/items.ts"
import { REFUSED_IN_A_ROW } from "../../packages/server/src/score/many/refused-lines.ts"
import { embeddedCounters } from "../../packages/stores/src/embedded/counters.ts"
import { dayOf, monthOf } from "../../packages/runtime/src/time.ts"
import { type Application, type Change, openApplication } from "./application.ts"
import { mintedKey } from "./minted-key.ts"
import { type Answer, openStream } from "./ndjson.ts"

const JSON_TYPE = "application/json"
const SCORE = "/api/v1/risk/score"
const BATCH = "/api/v1/risk/score/batch"
const RATE = plans.free.limits.requestsPerSecond

const line = (email: string): string => `${JSON.stringify({ email })}\n`
const codeOf = (answer: Answer | null): string | undefined => answer?.problem?.code
const count = <T>(all: readonly T[], one: T): number => all.filter((each) => each === one).length

/** An application whose seconds end only when the test lets them. */
async function opened(change: Change = {}): Promise<{ app: Application; time: { ms: number } }> {
  const time = { ms: 0 }
  return { app: await openApplication({ elapsed: () => time.ms, ...change }), time }
}

test("requests that are refused count toward the rate and not toward the month, whatever they are refused for", async () => {
  const { app, time } = await opened()
  const { key } = await mintedKey(app.records, "clumsy", "free")
  const wrong: readonly [status: number, type: string, body: string][] = [
    [400, JSON_TYPE, "{"],
    [400, JSON_TYPE, "{}"],
    [413, JSON_TYPE, JSON.stringify({ email: "x".repeat(20_000) })],
    [415, "text/plain", "a@mail.example"],
    [422, JSON_TYPE, JSON.stringify({ email: "not an address" })],
  ]
  for (const [status, type, body] of wrong) {
    for (let n = 0; n < RATE; n++)
      assert.equal((await app.send(SCORE, key, type, body)).status, status)
    const refused = await app.send(SCORE, key, type, body)
    assert.deepEqual(
      [refused.status, refused.body["code"]],
      [429, "rate-limited"],
      body.slice(0, 30),
    )
    assert.equal(refused.headers["retry-after"], "1")
    time.ms += 1001
  }
  const { status, headers } = await app.score("ana.silva@mail.example", key)
  assert.equal(status, 200)
  assert.match(String(headers["ratelimit"]), /"month";r=999;/)
  await app.close()
})

test("once the month is used up, 600 writes get through no faster than the rate", async () => {
  const now = Date.now()
  const time = { ms: 0 }
  const elapsed = (): number => time.ms
  const counters = embeddedCounters({ now: () => now, elapsed })
  const app = await openApplication({ counters, nowMs: now, elapsed })
  const { key, tenantId } = await mintedKey(app.records, "spent", "free")
  const used = new Map([[tenantId, plans.free.limits.lookupsPerMonth]])
  counters.restore(monthOf(now), used, dayOf(now), [])
  assert.equal((await app.score("ana.silva@mail.example", key)).body["code"], "quota-exceeded")
  time.ms += 1001
  const report = JSON.stringify({ email: "ana.silva@mail.example", outcome: "fraud_confirmed" })
  const statuses: number[] = []
  for (let n = 0; n < 600; n++)
    statuses.push((await app.send("/api/v1/feedback", key, JSON_TYPE, report)).status)
  assert.equal(count(statuses, 202), RATE)
  assert.equal(count(statuses, 429), 600 - RATE)
  await app.close()
})

test("refused items of a batch count toward the rate, and past it the rest is not read", async () => {
  const { app, time } = await opened()
  const { key } = await mintedKey(app.records, "sloppy", "free")
  const emails = [...Array<string>(900).fill("not an address"), "ana.silva@mail.example"]
  const batch = await app.send(BATCH, key, JSON_TYPE, JSON.stringify({ emails }))
  assert.equal(batch.status, 200)
  const codes = (batch.body["results"] as Answer[]).map((item) => codeOf(item))
  const read = count(codes, "not-an-email")
  // Nine requests are left after the batch itself. Ten refused items cost one, so up to 99 leave
  // something of them; the slice that begins then is read whole.
  assert.ok(read >= 90 && read <= 99 + ITEMS_AT_ONCE, `${read} were read`)
  assert.equal(count(codes, "rate-limited"), emails.length - read)
  assert.equal((await app.score("ana.silva@mail.example", key)).status, 429)
  // The next seconds pay what is owed, and nothing was taken from the month.
  time.ms += 1001
  const { headers } = await app.score("ana.silva@mail.example", key)
  assert.match(String(headers["ratelimit"]), /"month";r=999;/)
  await app.close()
})

/** Callers whose plan and scopes the test changes while their streams are open. */
function changing(): { now: Partial<Caller>; callers: (real: Callers) => Callers } {
  const state = { now: {} as Partial<Caller> }
  return Object.assign(state, {
    callers: (real: Callers): Callers => ({
      ...real,
      async authenticate(authorization) {
        return { ...(await real.authenticate(authorization)), ...state.now }
      },
    }),
  })
}

test("an open stream takes the plan of the moment: with names or without, limited or not", async () => {
  const changes = changing()
  const named = plans.enterprise
  const one: Plan = {
    ...plans.free,
    limits: { ...plans.free.limits, identitiesPerDay: 1 },
  }
  const app = await openApplication({ callers: changes.callers })
  const { key } = await mintedKey(app.records, "moving", "free")
  const stream = openStream(await app.listen(), { key, path: `${BATCH}?explain=true` })
  const ask = async (email: string): Promise<Answer | null> => {
    await stream.send(line(email))
    return await stream.next()
  }
  const sourcesIn = (answer: Answer | null): string =>
    JSON.stringify((answer?.result?.["explanation"] as { evidence?: unknown } | undefined) ?? {})
  changes.now = { plan: one }
  const free = await ask("sofia.rossi@mail.example")
  assert.ok(free?.result, JSON.stringify(free))
  assert.equal(codeOf(await ask("other@mail.example")), "identities-exceeded")
  changes.now = { plan: named }
  assert.ok((await ask("other@mail.example"))?.result)
  const enterprise = await ask("sofia.rossi@mail.example")
  assert.notEqual(sourcesIn(enterprise), sourcesIn(free), "the plan that names sources names them")
  changes.now = { plan: one }
  assert.equal(codeOf(await ask("third@mail.example")), "identities-exceeded")
  assert.equal(sourcesIn(await ask("sofia.rossi@mail.example")), sourcesIn(free))
  stream.end()
  assert.equal(await stream.next(), null)
  await app.close()
})

test("a scope that is taken away ends the open stream with its problem", async () => {
  const changes = changing()
  const app = await openApplication({ callers: changes.callers })
  const { key } = await mintedKey(app.records, "losing", "enterprise")
  const stream = openStream(await app.listen(), { key })
  await stream.send(line("first@mail.example"))
  assert.equal((await stream.next())?.index, 0)
  changes.now = { scopes: new Set(["feedback:write"]) }
  await stream.send(line("second@mail.example"))
  const last = await stream.next()
  assert.deepEqual([last?.index, codeOf(last)], [undefined, "insufficient-scope"])
  assert.equal(await stream.next(), null)
  await app.close()
})

test("a stream ends after a hundred refused lines in a row, says so, and leaves its place to another", async () => {
  const app = await openApplication()
  const { key } = await mintedKey(app.records, "stubborn", "free")
  const at = await app.listen()
  const stream = openStream(at, { key })
  const kept = openStream(at, { key })
  await kept.send(line("kept@mail.example"))
  assert.ok((await kept.next())?.result)
  await stream.send(line("first@mail.example"))
  assert.ok((await stream.next())?.result)
  const third = openStream(at, { key })
  assert.equal((await third.response).statusCode, 429)
  assert.equal(codeOf({ problem: (await third.next()) as never }), "streams-exceeded")
  for (let n = 0; n < 3 * REFUSED_IN_A_ROW; n++) stream.request.write('"not an address"\n')
  const answers = await stream.rest()
  const end = answers.pop()
  assert.deepEqual([end?.index, codeOf(end ?? null)], [undefined, "stream-refused"])
  assert.ok(answers.every((answer) => codeOf(answer) === "not-an-email"))
  const { length } = answers
  assert.ok(length >= REFUSED_IN_A_ROW && length < REFUSED_IN_A_ROW + 40, `${length} lines`)
  kept.end()
  assert.equal(await kept.next(), null)
  const deadline = Date.now() + 300_000
  for (let status = 0; status !== 200;) {
    assert.ok(Date.now() < deadline, "no place became free")
    const next = openStream(at, { key })
    next.end()
    status = (await next.response).statusCode ?? 0
    next.request.destroy()
  }
  await app.close()
})

test("a plan without limits may be refused as many lines as it likes", async () => {
  const app = await openApplication()
  const { key } = await mintedKey(app.records, "large", "enterprise")
  const stream = openStream(await app.listen(), { key })
  for (let n = 0; n < 3 * REFUSED_IN_A_ROW; n++) stream.request.write('"not an address"\n')
  stream.request.end(line("last@mail.example"))
  const answers = await stream.rest()
  assert.equal(answers.length, 3 * REFUSED_IN_A_ROW + 1)
  assert.equal(answers.at(-1)?.result?.["email"], "last@mail.example")
  await app.close()
})
