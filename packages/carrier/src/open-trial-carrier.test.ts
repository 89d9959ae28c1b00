import assert from "node:assert/strict"
import { after, beforeEach, test } from "node:test"
import * as fc from "fast-check"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { openTrialCarrier } from "./open-trial-carrier.ts"
import type { TrialFault } from "./script.ts"
import { ELSEWHERE } from "./send-reply.ts"
import { callApi, type RawAnswer, tokenFor } from "../testing/test-trial-session.ts"
import { makeTrialClient } from "./trial-client.ts"

const NUMBER = "+61491570006"
const OTHER = "+61491570156"
// The clock stands still, so that a window ends exactly at its stated end.
const nowMs = Date.now()
const hoursAgo = (hours: number): string => new Date(nowMs - hours * HOUR_MS).toISOString()
const daysAgo = (days: number): string => hoursAgo(24 * days)

const keys = await makeTrialClient("bank")
const carrier = await openTrialCarrier({
  clients: [keys.client],
  now: () => nowMs,
  mounts: { "/twilio": (request, response) => void response.end(`mounted ${request.url ?? ""}`) },
})
after(() => carrier.close())
const token = await tokenFor(
  carrier,
  keys,
  "sim-swap device-swap number-recycling:check kyc-tenure:check-tenure call-forwarding-signal:unconditional-call-forwardings:read device-roaming-status:read",
)

beforeEach(() => {
  carrier.scriptAll({})
  carrier.script(NUMBER, {})
})

const checked = async (maxAge: number, number = NUMBER): Promise<RawAnswer> =>
  await callApi(carrier, "POST", "/sim-swap/v2/check", token, { phoneNumber: number, maxAge })
const dated = async (number = NUMBER): Promise<RawAnswer> =>
  await callApi(carrier, "POST", "/sim-swap/v2/retrieve-date", token, { phoneNumber: number })
const codeOf = ({ body }: RawAnswer): string => (body as { code: string }).code

test("a number without a script has had the same SIM, device and subscriber for years", async () => {
  assert.deepEqual((await checked(2400)).body, { swapped: false })
  const { latestSimChange } = (await dated()).body as { latestSimChange: string }
  assert.ok(Date.parse(latestSimChange) < nowMs - 2400 * HOUR_MS)
  assert.deepEqual((await dated()).body, { latestSimChange })
  assert.notDeepEqual((await dated(OTHER)).body, { latestSimChange })
  const ask = async (path: string, more: object): Promise<unknown> =>
    (await callApi(carrier, "POST", path, token, { phoneNumber: NUMBER, ...more })).body
  assert.deepEqual(await ask("/number-recycling/v0.2/check", { specifiedDate: "2001-01-01" }), {
    phoneNumberRecycled: false,
  })
  const tenure = await ask("/kyc-tenure/v0.2/check-tenure", { tenureDate: "2022-01-01" })
  assert.equal((tenure as { tenureDateCheck: boolean }).tenureDateCheck, true)
  assert.deepEqual(await ask("/call-forwarding-signal/v0.4/unconditional-call-forwardings", {}), {
    active: false,
  })
})

test("a check and a date agree on when the SIM changed, whatever window is asked about", async () => {
  const hours = fc.integer({ min: 1, max: 2400 })
  await fc.assert(
    fc.asyncProperty(hours, hours, async (agoHours, maxAge) => {
      carrier.script(NUMBER, { sim: { changed_at: hoursAgo(agoHours) } })
      assert.deepEqual((await dated()).body, { latestSimChange: hoursAgo(agoHours) })
      assert.deepEqual((await checked(maxAge)).body, { swapped: agoHours < maxAge })
    }),
    { seed: 5, numRuns: 50 },
  )
})

test("a date is told as scripted, an odd one too", async () => {
  for (const changed_at of ["1900-01-01T00:00:00Z", "2999-01-01T00:00:00+05:30"]) {
    carrier.script(NUMBER, { sim: { changed_at } })
    assert.deepEqual((await dated()).body, { latestSimChange: changed_at })
  }
  carrier.script(NUMBER, { sim: { changed_at: null }, tenure: { since: "2019-02-03" } })
  assert.deepEqual((await dated()).body, { latestSimChange: "2019-02-03T00:00:00.000Z" })
})

test("beyond the time a carrier keeps there is no date, with the time it keeps or without", async () => {
  carrier.script(NUMBER, { sim: { changed_at: daysAgo(40), history_days: 30 } })
  assert.deepEqual((await dated()).body, { latestSimChange: null, monitoredPeriod: 30 })
  carrier.script(NUMBER, { sim: { changed_at: daysAgo(20), history_days: 30 } })
  assert.deepEqual((await dated()).body, { latestSimChange: daysAgo(20) })
  carrier.script(NUMBER, { sim: { changed_at: daysAgo(20), history_days: "unsaid" } })
  assert.deepEqual((await dated()).body, { latestSimChange: null })
})

test("a carrier may tell only whether or only when, and may not look back for long", async () => {
  carrier.script(NUMBER, { sim: { answers: "check", look_back_hours: 72 } })
  assert.equal(codeOf(await dated()), "NOT_FOUND")
  assert.equal(codeOf(await checked(73)), "OUT_OF_RANGE")
  assert.deepEqual((await checked(72)).body, { swapped: false })
  carrier.script(NUMBER, { sim: { answers: "date" } })
  assert.equal(codeOf(await checked(72)), "NOT_FOUND")
  assert.equal((await dated()).status, 200)
})

test("a number is recycled for those who knew it before the new subscriber, and for nobody else", async () => {
  carrier.script(NUMBER, { recycled_on: "2025-06-01" })
  const since = async (specifiedDate: string): Promise<unknown> =>
    (
      await callApi(carrier, "POST", "/number-recycling/v0.2/check", token, {
        phoneNumber: NUMBER,
        specifiedDate,
      })
    ).body
  assert.deepEqual(await since("2025-05-31"), { phoneNumberRecycled: true })
  assert.deepEqual(await since("2025-06-01"), { phoneNumberRecycled: false })
  const ahead = await callApi(carrier, "POST", "/number-recycling/v0.2/check", token, {
    phoneNumber: NUMBER,
    specifiedDate: new Date(nowMs + 3 * DAY_MS).toISOString().slice(0, 10),
  })
  assert.equal(codeOf(ahead), "OUT_OF_RANGE")
})

test("what holds for all numbers gives way to what a number's own script says, null included", async () => {
  carrier.scriptAll({
    sim: { changed_at: hoursAgo(5), look_back_hours: 100 },
    roaming: { mcc: 208, countries: ["FR"] },
  })
  carrier.script(NUMBER, { sim: { changed_at: hoursAgo(50) }, roaming: null })
  assert.deepEqual((await dated(OTHER)).body, { latestSimChange: hoursAgo(5) })
  assert.deepEqual((await dated()).body, { latestSimChange: hoursAgo(50) })
  assert.equal(codeOf(await checked(101)), "OUT_OF_RANGE")
  const roaming = async (phoneNumber: string): Promise<unknown> => {
    const path = "/device-roaming-status/v1/retrieve"
    const { body } = await callApi(carrier, "POST", path, token, { device: { phoneNumber } })
    return (body as { roaming: boolean }).roaming
  }
  assert.deepEqual([await roaming(NUMBER), await roaming(OTHER)], [false, true])
})

test("a fault acts on its number and its API, so many times, and not on a request that is wrong", async () => {
  carrier.script(NUMBER, {
    faults: [{ api: "sim_swap", kind: "error", status: 503, code: "UNAVAILABLE", times: 2 }],
  })
  assert.equal((await checked(0)).status, 400)
  const path = "/device-swap/v1/check"
  assert.equal((await callApi(carrier, "POST", path, token, { phoneNumber: NUMBER })).status, 200)
  assert.equal((await checked(24, OTHER)).status, 200)
  const statuses = [await checked(24), await checked(24), await checked(24)].map((a) => a.status)
  assert.deepEqual(statuses, [503, 503, 200])
})

test("every kind of broken answer is broken as it says", async () => {
  const raw = async (
    fault: TrialFault,
  ): Promise<{ status: number; headers: Headers; text: string }> => {
    carrier.script(NUMBER, { faults: [fault] })
    const response = await fetch(`${carrier.url}/sim-swap/v2/check`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ phoneNumber: NUMBER }),
      redirect: "manual",
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const html = await raw({ kind: "html", status: 502 })
  assert.deepEqual([html.status, html.headers.get("content-type")], [502, "text/html"])
  const malformed = await raw({ kind: "malformed" })
  assert.equal(malformed.status, 200)
  assert.throws(() => JSON.parse(malformed.text), SyntaxError)
  assert.deepEqual(JSON.parse((await raw({ kind: "wrong_types" })).text), { swapped: ["odd"] })
  assert.deepEqual(JSON.parse((await raw({ kind: "empty" })).text), {})
  const oversized = await raw({ kind: "oversized" })
  assert.ok(oversized.text.length > 256 * 1024)
  assert.deepEqual(JSON.parse(oversized.text), { swapped: false })
  const redirect = await raw({ kind: "redirect" })
  assert.deepEqual([redirect.status, redirect.headers.get("location")], [307, ELSEWHERE])
  const limited = await raw({
    kind: "error",
    status: 429,
    code: "TOO_MANY_REQUESTS",
    retry_after_seconds: 7,
  })
  assert.deepEqual([limited.status, limited.headers.get("retry-after")], [429, "7"])
  await assert.rejects(raw({ kind: "truncated" }), TypeError)
  await assert.rejects(raw({ kind: "closed" }), TypeError)
  const late = await raw({ kind: "late", latency_ms: 20 })
  assert.deepEqual(JSON.parse(late.text), { swapped: false })
})

test("a token that is said to have expired has, and a new one is taken", async () => {
  const old = await tokenFor(carrier, keys, "sim-swap")
  const ask = async (bearer: string): Promise<number> =>
    (await callApi(carrier, "POST", "/sim-swap/v2/check", bearer, { phoneNumber: NUMBER })).status
  carrier.script(NUMBER, { faults: [{ kind: "expired_token", times: 1 }] })
  assert.deepEqual([await ask(old), await ask(old)], [401, 401])
  assert.equal(await ask(await tokenFor(carrier, keys, "sim-swap")), 200)
})

test("closing does not wait for an answer that takes long", async () => {
  const slow = await openTrialCarrier({ clients: [keys.client] })
  slow.scriptAll({ faults: [{ kind: "late", latency_ms: 120_000 }] })
  const bearer = await tokenFor(slow, keys, "sim-swap")
  const asked = callApi(slow, "POST", "/sim-swap/v2/check", bearer, { phoneNumber: NUMBER })
  const lost = assert.rejects(asked, TypeError)
  while (slow.requests().length < 2) await new Promise((resolve) => setImmediate(resolve))
  await slow.close()
  await lost
})

test("scripts are replaced and shown over HTTP, and a wrong one changes nothing", async () => {
  const put = async (path: string, script: unknown): Promise<RawAnswer> =>
    await callApi(carrier, "PUT", path, null, script)
  const at = `/trial/numbers/${NUMBER}`
  const script = { sim: { changed_at: hoursAgo(3) } }
  assert.deepEqual((await put(at, script)).body, script)
  assert.deepEqual((await callApi(carrier, "GET", at, null)).body, script)
  assert.deepEqual((await dated()).body, { latestSimChange: hoursAgo(3) })
  assert.deepEqual(
    (await callApi(carrier, "GET", `/trial/numbers/${encodeURIComponent(NUMBER)}`, null)).body,
    script,
  )
  for (const wrong of [{ sim: { changed: 1 } }, { faults: [{ kind: "odd" }] }, [], "{"]) {
    const { status, body } = await put(at, wrong)
    assert.deepEqual([status, (body as { code: string }).code], [400, "INVALID_ARGUMENT"])
  }
  assert.deepEqual((await callApi(carrier, "GET", at, null)).body, script)
  assert.equal((await put("/trial/numbers/12", {})).status, 404)
  assert.equal((await callApi(carrier, "DELETE", at, null)).status, 405)

  assert.equal((await put("/trial/numbers", { forwarding: ["unconditional"] })).status, 200)
  const forwarding = "/call-forwarding-signal/v0.4/unconditional-call-forwardings"
  const { body } = await callApi(carrier, "POST", forwarding, token, { phoneNumber: NUMBER })
  assert.deepEqual(body, { active: true })
  assert.deepEqual((await put("/trial/token", { lifetime_seconds: 9 })).body, {
    lifetime_seconds: 9,
  })
  await put("/trial/token", {})
})

test("what arrived is kept in order, paths of others go to them, and the rest is not found", async () => {
  const before = carrier.requests().length
  await checked(24)
  const [request, ...more] = carrier.requests().slice(before)
  assert.deepEqual(more, [])
  assert.deepEqual([request?.method, request?.path], ["POST", "/sim-swap/v2/check"])
  assert.deepEqual(JSON.parse(request?.body ?? ""), { phoneNumber: NUMBER, maxAge: 24 })
  const mounted = await callApi(carrier, "GET", "/twilio/v2/PhoneNumbers/1?Fields=x", null)
  assert.equal(mounted.body, "mounted /twilio/v2/PhoneNumbers/1?Fields=x")
  assert.equal((await callApi(carrier, "GET", "/sim-swap/v2/check", token)).status, 405)
  assert.equal((await callApi(carrier, "POST", "/sim-swap/v1/check", token, {})).status, 404)
  const odd = await callApi(carrier, "POST", "/sim-swap/v2/check", token, "{}", {
    "x-correlator": "not allowed",
  })
  assert.deepEqual([odd.status, odd.headers.get("x-correlator")], [400, null])
  const text = await callApi(carrier, "POST", "/sim-swap/v2/check", token, "{}", {
    "content-type": "text/plain",
  })
  assert.equal(codeOf(text), "UNSUPPORTED_MEDIA_TYPE")
})
