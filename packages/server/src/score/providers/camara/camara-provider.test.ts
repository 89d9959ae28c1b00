import assert from "node:assert/strict"
import { suite, test } from "node:test"
import { inspect } from "node:util"
import type { PhoneSignalProvider, SignalName, SignalRequest, SignalResult } from "../signals.ts"
import type { CarrierSettings } from "./camara-settings.ts"
import { Explained } from "@assay/runtime/explained"
import { openCamaraProvider } from "./camara-provider.ts"
import { carrierRanges } from "./carrier-ranges.ts"
import {
  breaking,
  documented,
  failing,
  openTestCarrier,
  refusing,
  type Reply,
  saying,
  silent,
  type TestCarrier,
  token,
  truncating,
} from "../../../../testing/score/providers/camara/test-carrier.ts"

const NUMBER = "+61491570156"
const NOW_MS = Date.parse("2026-03-01T12:00:00Z")
const NOW = "2026-03-01T12:00:00.000Z"
const patient = new AbortController().signal

function asked(signals: readonly SignalName[], more: Partial<SignalRequest> = {}): SignalRequest {
  return {
    e164: NUMBER,
    signals,
    simWindowHours: 240,
    sinceDate: null,
    correlationId: "b4333c46-49c0-4f62-80d7-f0ef930f1c46",
    abort: patient,
    ...more,
  }
}

function providerOf(settings: CarrierSettings): PhoneSignalProvider {
  return openCamaraProvider(settings, { ranges: carrierRanges([settings]), now: () => NOW_MS })
}

async function opened(
  ...replies: Reply[]
): Promise<{ carrier: TestCarrier; provider: PhoneSignalProvider }> {
  const carrier = await openTestCarrier()
  carrier.answer(...replies)
  return { carrier, provider: providerOf(carrier.settings) }
}

async function one(
  provider: PhoneSignalProvider,
  signal: SignalName,
  more: Partial<SignalRequest> = {},
): Promise<SignalResult> {
  const [result, ...others] = await provider.fetch(asked([signal], more))
  assert.ok(result !== undefined && others.length === 0)
  return result
}

suite("what a carrier offers", async () => {
  const { carrier, provider } = await opened()
  const { settings } = carrier

  test("it is asked what its settings name, about numbers in its ranges, and nothing about others", () => {
    assert.equal(provider.id, "camara:one")
    assert.deepEqual(provider.capabilities({ e164: NUMBER, region: "AU" }), [
      "sim_change",
      "device_change",
      "recycled",
      "call_forwarding",
      "reachable",
      "roaming",
      "tenure",
      "active",
    ])
    assert.deepEqual(provider.capabilities({ e164: "+442071234567", region: "GB" }), [])
    const few = providerOf({ ...settings, apis: { roaming: { price: 0 } } })
    assert.deepEqual(few.capabilities({ e164: NUMBER, region: "AU" }), ["roaming"])
  })

  test("a number in a longer range of another carrier is the other's", () => {
    const other = { ...settings, name: "other", ranges: ["+614915701"] }
    const ranges = carrierRanges([settings, other])
    const [here, there] = [settings, other].map((each) =>
      openCamaraProvider(each, { ranges, now: () => NOW_MS }),
    )
    assert.deepEqual(here?.capabilities({ e164: NUMBER, region: "AU" }), [])
    assert.equal(there?.capabilities({ e164: NUMBER, region: "AU" }).length, 8)
    assert.equal(here.capabilities({ e164: "+61491570999", region: "AU" }).length, 8)
  })

  test("each signal is a call of its own, at the price of the most requests it can take", () => {
    assert.deepEqual(provider.calls(["sim_change", "tenure"]), [["sim_change"], ["tenure"]])
    assert.equal(provider.priceMicros(["sim_change"]), 20_000)
    assert.equal(provider.priceMicros(["device_change"]), 60_000)
    assert.equal(provider.priceMicros(["tenure"]), 60_000)
    assert.equal(provider.priceMicros(["sim_change", "roaming"]), 30_000)
    assert.equal(provider.priceMicros(["line_type"]), 0)
  })

  test("a signal that is not offered has no coverage, and nobody is asked", async () => {
    const { status, billable } = await one(provider, "line_type")
    assert.deepEqual([status, billable], ["no_coverage", false])
    assert.equal(carrier.asked.length + carrier.tokenRequests.length, 0)
  })
})

suite("what goes out", () => {
  test("a request has the token, the correlator and the number, and nothing else of anybody", async () => {
    const { carrier, provider } = await opened(
      documented({ latestSimChange: "2026-02-28T12:00:30Z" }),
    )
    const result = await one(provider, "sim_change")
    assert.deepEqual(result, {
      signal: "sim_change",
      status: "ok",
      value: { at: "2026-02-28T12:00:30.000Z" },
      precision: "instant",
      source: "camara:one",
      observedAt: NOW,
      billable: true,
      latencyMs: 0,
    })
    const [request] = carrier.asked
    assert.ok(request !== undefined)
    assert.equal(request.path, "/sim-swap/v2/retrieve-date")
    assert.deepEqual(JSON.parse(request.body), { phoneNumber: NUMBER })
    const { headers } = request
    assert.equal(headers["authorization"], "Bearer token-1")
    assert.equal(headers["x-correlator"], "b4333c46-49c0-4f62-80d7-f0ef930f1c46")
    assert.equal(headers["user-agent"], "assay")
    for (const field of ["cookie", "referer", "from", "x-request-id"])
      assert.equal(headers[field], undefined, field)
    const [form] = carrier.tokenRequests
    assert.equal(
      new URLSearchParams(form?.body).get("scope"),
      "dpv:FraudPreventionAndDetection sim-swap:retrieve-date",
    )
  })

  test("paths and purpose are the carrier's own where it has them", async () => {
    const carrier = await openTestCarrier()
    carrier.answer(documented({ active: true }))
    const { purpose: _none, ...settings } = carrier.settings
    const provider = providerOf({
      ...settings,
      base_url: `${settings.base_url}gate/`,
      apis: { call_forwarding: { price: 1, path: "/cfs/v0.3" } },
    })
    assert.equal((await one(provider, "call_forwarding")).value, true)
    assert.equal(carrier.asked[0]?.path, "/gate/cfs/v0.3/unconditional-call-forwardings")
    assert.equal(
      new URLSearchParams(carrier.tokenRequests[0]?.body).get("scope"),
      "call-forwarding-signal:unconditional-call-forwardings:read",
    )
  })

  test("several signals are asked for side by side, each answered by itself", async () => {
    const { provider } = await opened(documented({ active: true }))
    const results = await provider.fetch(asked(["call_forwarding", "roaming"]))
    assert.deepEqual(
      results.map(({ signal, status }) => [signal, status]),
      [
        ["call_forwarding", "ok"],
        ["roaming", "error"],
      ],
    )
  })

  test("recycling is asked for since a day, and without one not at all", async () => {
    const { carrier, provider } = await opened(documented({ phoneNumberRecycled: false }))
    const without = await one(provider, "recycled")
    assert.deepEqual([without.status, without.billable], ["not_applicable", false])
    assert.equal(carrier.asked.length, 0)
    const result = await one(provider, "recycled", { sinceDate: "2025-06-30T23:30:00Z" })
    assert.deepEqual([result.status, result.value], ["ok", false])
    await one(provider, "recycled", { sinceDate: "2026-03-02T00:30:00Z" })
    assert.deepEqual(
      carrier.asked.map(({ body }) => JSON.parse(body) as unknown),
      [
        { phoneNumber: NUMBER, specifiedDate: "2025-06-30" },
        { phoneNumber: NUMBER, specifiedDate: "2026-03-01" },
      ],
    )
  })

  test("how long a handset stayed is asked for as far back as the carrier says it looks", async () => {
    const { carrier } = await opened(documented({ swapped: false }))
    const provider = providerOf({
      ...carrier.settings,
      apis: {
        sim_swap: { price: 1, answers: "check", max_age_hours: 2400 },
        device_swap: { price: 1, answers: "check", max_age_hours: 2400 },
      },
    })
    assert.equal((await one(provider, "sim_change")).coveredWindow, "240h")
    assert.equal((await one(provider, "device_change")).coveredWindow, "2400h")
  })
})

suite("what goes wrong", () => {
  test("is a status of its own, never a value, and never a rejection", async () => {
    const huge = JSON.stringify({
      latestSimChange: null,
      monitoredPeriod: 9,
      more: "x".repeat(70_000),
    })
    for (const [reply, status, providerCode] of [
      [refusing(400, "INVALID_ARGUMENT"), "not_applicable", "INVALID_ARGUMENT"],
      [refusing(403, "PERMISSION_DENIED"), "consent_required", "PERMISSION_DENIED"],
      [refusing(404, "IDENTIFIER_NOT_FOUND"), "not_found", "IDENTIFIER_NOT_FOUND"],
      [refusing(422, "SERVICE_NOT_APPLICABLE"), "no_coverage", "SERVICE_NOT_APPLICABLE"],
      [refusing(429, "QUOTA_EXCEEDED"), "rate_limited", "QUOTA_EXCEEDED"],
      [refusing(503, "UNAVAILABLE"), "error", "UNAVAILABLE"],
      [failing(404), "error", "http_404"],
      [failing(500), "error", "http_500"],
      [failing(502), "error", "http_502"],
      [failing(504), "timeout", "http_504"],
      [failing(200), "error", "malformed"],
      [saying(200, ""), "error", "malformed"],
      [saying(200, "null"), "error", "malformed"],
      [saying(200, "[]"), "error", "malformed"],
      [saying(200, "{}"), "error", "malformed"],
      [saying(200, '{"latestSimChange":'), "error", "malformed"],
      [saying(204, ""), "error", "http_204"],
      [saying(200, huge), "error", "malformed"],
      [documented({ latestSimChange: null }), "no_coverage", "no_period"],
      [documented({ latestSimChange: "1900-01-01T00:00:00Z" }), "error", "invalid_date"],
      [breaking, "error", "connection_failed"],
      [truncating, "error", "connection_failed"],
    ] as const) {
      const { provider } = await opened(reply)
      const result = await one(provider, "sim_change")
      assert.deepEqual([result.status, result.providerCode], [status, providerCode])
      assert.ok(!("value" in result), providerCode)
    }
  })

  test("a redirect is not followed: no other place learns of the number", async () => {
    const elsewhere = await openTestCarrier()
    elsewhere.answer(documented({ latestSimChange: "2026-02-28T12:00:30Z" }))
    for (const status of [301, 302, 307, 308]) {
      const location = `${elsewhere.settings.base_url}sim-swap/v2/retrieve-date`
      const { provider } = await opened(saying(status, "", { location }))
      const result = await one(provider, "sim_change")
      assert.deepEqual([result.status, result.providerCode], ["error", "redirect"])
    }
    assert.equal(elsewhere.asked.length, 0)
  })

  test("nobody at the other end is an error, and one that the caller ends is a time-out", async () => {
    const { carrier, provider } = await opened(silent)
    const hasty = new AbortController()
    const abort = hasty.signal
    const waiting = one(provider, "sim_change", { abort })
    while (carrier.asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
    hasty.abort()
    const ended = await waiting
    assert.equal(ended.status, "timeout")
    assert.ok(!("billable" in ended), "nobody knows whether it is billed")
    assert.equal((await one(provider, "sim_change", { abort })).status, "timeout")

    const nobody = providerOf({ ...carrier.settings, base_url: "http://127.0.0.1:1/" })
    const refused = await one(nobody, "sim_change")
    assert.deepEqual([refused.status, refused.providerCode], ["error", "connection_failed"])
  })

  test("what was known before the caller ended it is kept", async () => {
    const { carrier, provider } = await opened(documented({ swapped: true }), silent)
    const hasty = new AbortController()
    const waiting = one(provider, "device_change", { abort: hasty.signal })
    while (carrier.asked.length < 2) await new Promise((resolve) => setImmediate(resolve))
    hasty.abort()
    const { status, value, billable } = await waiting
    assert.deepEqual([status, billable], ["partial", true])
    assert.deepEqual(value, { withinHours: 240, notWithinHours: null })
  })

  test("closing ends what is under way", async () => {
    const { carrier, provider } = await opened(silent)
    const waiting = one(provider, "sim_change")
    while (carrier.asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
    provider.close()
    assert.equal((await waiting).status, "timeout")
  })

  test("only what was answered is billed", async () => {
    const refused = await opened(refusing(404, "IDENTIFIER_NOT_FOUND"))
    assert.equal((await one(refused.provider, "sim_change")).billable, false)
    const malformed = await opened(documented({}))
    assert.equal((await one(malformed.provider, "sim_change")).billable, true)
  })
})

suite("tokens that are not taken", () => {
  test("a token an API does not take is dropped, and a new one is tried once", async () => {
    for (const refused of [refusing(401, "UNAUTHENTICATED"), failing(401)]) {
      const { carrier, provider } = await opened(
        refused,
        documented({ latestSimChange: null, monitoredPeriod: 120 }),
      )
      carrier.answerTokens(token("token-1"), token("token-2"))
      const result = await one(provider, "sim_change")
      assert.deepEqual([result.status, result.coveredWindow], ["partial", "120d"])
      assert.deepEqual(
        carrier.asked.map(({ headers }) => headers["authorization"]),
        ["Bearer token-1", "Bearer token-2"],
      )
    }
  })

  test("if the new one is not taken either the signal fails, and no third one is asked for", async () => {
    const { carrier, provider } = await opened(refusing(401, "UNAUTHENTICATED"))
    carrier.answerTokens(token("token-1"), token("token-2"), token("token-3"))
    const result = await one(provider, "sim_change")
    assert.deepEqual([result.status, result.providerCode], ["unauthorized", "UNAUTHENTICATED"])
    assert.equal(carrier.asked.length, 2)
    assert.equal(carrier.tokenRequests.length, 2)
  })

  test("without a token the number is not sent", async () => {
    const { carrier, provider } = await opened(documented({ latestSimChange: null }))
    carrier.answerTokens(saying(401, '{"error":"invalid_client"}'))
    const result = await one(provider, "sim_change")
    assert.deepEqual(
      [result.status, result.providerCode, result.billable],
      ["unauthorized", "invalid_client", false],
    )
    assert.equal(carrier.asked.length, 0)
  })
})

suite("a check", () => {
  test("gets a token for every API, and names no number", async () => {
    const { carrier, provider } = await opened()
    await provider.check(patient)
    assert.equal(carrier.tokenRequests.length, 8)
    assert.equal(carrier.asked.length, 0)
  })

  test("says in a sentence what is wrong, without a word of secrets", async () => {
    for (const [reply, sentence] of [
      [
        saying(400, '{"error":"invalid_scope","error_description":"token-1"}'),
        "carrier one gave no token for sim_swap: invalid_scope",
      ],
      [breaking, "carrier one gave no token for sim_swap: connection_failed"],
      [failing(504), "the token endpoint of carrier one did not answer in time"],
    ] as const) {
      const { carrier, provider } = await opened()
      carrier.answerTokens(reply)
      await assert.rejects(provider.check(patient), (error) => {
        assert.ok(error instanceof Explained && error.code === "camara-check")
        assert.equal(error.message, sentence)
        assert.equal(error.cause, undefined)
        return true
      })
    }
  })
})

test("numbers, tokens and what a carrier writes beside its code are in no result", async () => {
  const leak = `${NUMBER} token-1`
  for (const reply of [
    refusing(404, "IDENTIFIER_NOT_FOUND", leak),
    refusing(400, leak, leak),
    saying(500, leak),
    saying(200, leak),
    documented({ latestSimChange: leak }),
    documented({ latestSimChange: null, monitoredPeriod: leak }),
    breaking,
  ]) {
    const { provider } = await opened(reply)
    const text = inspect(await one(provider, "sim_change"), { depth: null })
    assert.ok(!text.includes(NUMBER.slice(1)) && !text.includes("token-1"), text)
  }
})
