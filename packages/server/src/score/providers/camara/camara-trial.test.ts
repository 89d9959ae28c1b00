import assert from "node:assert/strict"
import { beforeEach, suite, test } from "node:test"
import { DAY_MS, dayOf, HOUR_MS } from "@assay/runtime/time"
import type { PhoneSignalProvider, SignalName, SignalRequest, SignalResult } from "../signals.ts"
import type { LineScript, TrialFault } from "@assay/carrier/script"
import {
  everyApi,
  openTrialProviders,
} from "../../../../testing/score/providers/camara/test-trial-providers.ts"

const NUMBER = "+61491570156"
const patient = new AbortController().signal

function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * HOUR_MS).toISOString()
}

function daysAgo(days: number): string {
  return dayOf(Date.now() - days * DAY_MS)
}

async function one(
  provider: PhoneSignalProvider,
  signal: SignalName,
  more: Partial<SignalRequest> = {},
): Promise<SignalResult> {
  const [result] = await provider.fetch({
    e164: NUMBER,
    signals: [signal],
    simWindowHours: 240,
    sinceDate: null,
    correlationId: crypto.randomUUID(),
    abort: patient,
    ...more,
  })
  assert.ok(result !== undefined)
  return result
}

suite("a carrier that speaks CAMARA", async () => {
  const { carrier, provider } = await openTrialProviders()
  const dates = provider(everyApi("date"))
  const checks = provider(everyApi("check"))
  const script = (line: LineScript): void => carrier.script(NUMBER, line)
  beforeEach(() => {
    script({})
    carrier.scriptToken({})
  })

  test("takes the client's assertion for every API", () => dates.check(patient))

  test("gives the dates of SIM and handset changes", async () => {
    for (const hours of [1, 30, 100, 2000]) {
      const at = hoursAgo(hours)
      script({ sim: { changed_at: at }, device: { changed_at: at } })
      for (const signal of ["sim_change", "device_change"] as const) {
        const { status, value, billable } = await one(dates, signal)
        assert.deepEqual([status, value, billable], ["ok", { at }, true])
      }
    }
  })

  test("that never saw a change gives the day the line began", async () => {
    script({ sim: { changed_at: null }, tenure: { since: "2019-05-20" } })
    const { status, value, precision } = await one(dates, "sim_change")
    assert.deepEqual([status, value], ["ok", { at: "2019-05-20T00:00:00.000Z" }])
    assert.equal(precision, "day")
  })

  test("with a monitored period says that nothing changed in it, and without one says nothing", async () => {
    script({ sim: { changed_at: hoursAgo(9000), history_days: 120 } })
    const none = await one(dates, "sim_change")
    assert.deepEqual(
      [none.status, none.value, none.coveredWindow],
      ["partial", { none: true }, "120d"],
    )
    script({ sim: { changed_at: hoursAgo(1), history_days: "unsaid" } })
    const nothing = await one(dates, "sim_change")
    assert.deepEqual([nothing.status, nothing.value], ["no_coverage", undefined])
  })

  test("that answers yes or no is asked for narrower windows only after a yes", async () => {
    for (const [hours, value, coveredWindow, requests] of [
      [1, { withinHours: 24, notWithinHours: null }, undefined, 3],
      [48, { withinHours: 72, notWithinHours: 24 }, undefined, 3],
      [100, { withinHours: 240, notWithinHours: 72 }, undefined, 2],
      [300, { none: true }, "240h", 1],
    ] as const) {
      const change = { changed_at: hoursAgo(hours), answers: "check" } as const
      script({ sim: change, device: change })
      for (const signal of ["sim_change", "device_change"] as const) {
        const before = apiRequests()
        const result = await one(checks, signal)
        assert.deepEqual([result.value, result.coveredWindow], [value, coveredWindow])
        assert.equal(apiRequests() - before, requests)
      }
    }
  })

  test("that may look back 168 hours is asked for those from then on", async () => {
    const careful = provider(everyApi("check"))
    script({ sim: { changed_at: hoursAgo(500), look_back_hours: 168 } })
    for (const requests of [2, 1]) {
      const before = apiRequests()
      const { value, coveredWindow } = await one(careful, "sim_change")
      assert.deepEqual([value, coveredWindow], [{ none: true }, "168h"])
      assert.equal(apiRequests() - before, requests)
    }
  })

  test("gives the rest of what it knows of a line", async () => {
    script({
      recycled_on: daysAgo(20),
      forwarding: ["unconditional"],
      reachable_by: [],
      roaming: { mcc: 262, countries: ["DE"] },
      tenure: { since: daysAgo(20), contract: "PAYG" },
      services: { voice_sms_in: "suspended" },
    })
    const sinceDate = hoursAgo(24 * 30)
    assert.equal((await one(dates, "recycled", { sinceDate })).value, true)
    assert.equal((await one(dates, "recycled", { sinceDate: hoursAgo(24 * 10) })).value, false)
    assert.equal((await one(dates, "recycled")).status, "not_applicable")
    assert.equal((await one(dates, "call_forwarding")).value, true)
    const reachable = await one(dates, "reachable")
    assert.equal(reachable.value, false)
    assert.ok(reachable.asOf !== undefined)
    assert.deepEqual((await one(dates, "roaming")).value, { roaming: true, country: "DE" })
    assert.deepEqual((await one(dates, "tenure")).value, {
      atLeastDays: null,
      lessThanDays: 90,
      contract: "prepaid",
    })
    assert.equal((await one(dates, "active")).value, false)
  })

  test("reports nothing bad of a line without a story", async () => {
    assert.equal((await one(dates, "recycled", { sinceDate: hoursAgo(999) })).value, false)
    assert.equal((await one(dates, "call_forwarding")).value, false)
    assert.equal((await one(dates, "reachable")).value, true)
    assert.deepEqual((await one(dates, "roaming")).value, { roaming: false, country: null })
    assert.equal((await one(dates, "active")).value, true)
    const tenure = (await one(dates, "tenure")).value
    assert.ok(typeof tenure === "object" && "atLeastDays" in tenure)
    assert.equal(tenure.atLeastDays, 730)
  })

  test("whose answers go wrong leaves a status that says so, in every API", async () => {
    const outcomes: readonly (readonly [TrialFault, string])[] = [
      [{ kind: "error", status: 403, code: "PERMISSION_DENIED" }, "consent_required"],
      [{ kind: "error", status: 404, code: "IDENTIFIER_NOT_FOUND" }, "not_found"],
      [{ kind: "error", status: 422, code: "SERVICE_NOT_APPLICABLE" }, "no_coverage"],
      [{ kind: "error", status: 429, code: "TOO_MANY_REQUESTS" }, "rate_limited"],
      [{ kind: "error", status: 500, code: "INTERNAL" }, "error"],
      [{ kind: "error", status: 504, code: "TIMEOUT" }, "timeout"],
      [{ kind: "html", status: 503 }, "error"],
      [{ kind: "html", status: 200 }, "error"],
      [{ kind: "malformed" }, "error"],
      [{ kind: "wrong_types" }, "error"],
      [{ kind: "empty" }, "error"],
      [{ kind: "truncated" }, "error"],
      [{ kind: "closed" }, "error"],
      [{ kind: "oversized" }, "error"],
      [{ kind: "redirect" }, "error"],
      [{ kind: "expired_token" }, "unauthorized"],
    ]
    const signals = dates.capabilities({ e164: NUMBER, region: "AU" })
    assert.equal(signals.length, 8)
    for (const [fault, expected] of outcomes) {
      script({ faults: [fault] })
      for (const asking of [dates, checks])
        for (const signal of signals) {
          const result = await one(asking, signal, { sinceDate: hoursAgo(999) })
          assert.equal(result.status, expected, `${fault.kind} ${signal}`)
          assert.ok(!("value" in result), `${fault.kind} ${signal}`)
        }
    }
  })

  test("that ends a token early is asked again with a new one", async () => {
    const at = hoursAgo(5)
    script({ sim: { changed_at: at }, faults: [{ kind: "expired_token", times: 1 }] })
    const { status, value } = await one(dates, "sim_change")
    assert.deepEqual([status, value], ["ok", { at }])
  })

  test("without a working token endpoint never gets a number", async () => {
    for (const [fault, status] of [
      [{ kind: "error", status: 401, code: "invalid_client" }, "unauthorized"],
      [{ kind: "html", status: 500 }, "error"],
      [{ kind: "malformed" }, "error"],
      [{ kind: "closed" }, "error"],
      [{ kind: "redirect" }, "error"],
    ] as const) {
      carrier.scriptToken({ faults: [fault] })
      const before = apiRequests()
      const fresh = provider()
      assert.equal((await one(fresh, "sim_change")).status, status, fault.kind)
      await assert.rejects(fresh.check(patient))
      assert.equal(apiRequests(), before)
    }
  })

  test("that is too slow is given up when the caller says so", async () => {
    script({ faults: [{ kind: "late", latency_ms: 60_000 }] })
    const hasty = new AbortController()
    const before = apiRequests()
    const waiting = one(dates, "sim_change", { abort: hasty.signal })
    while (apiRequests() === before) await new Promise((resolve) => setImmediate(resolve))
    hasty.abort()
    assert.equal((await waiting).status, "timeout")
  })

  test("gets a number in the body alone, never in a path or a header", async () => {
    const before = carrier.requests().length
    for (const signal of dates.capabilities({ e164: NUMBER, region: "AU" }))
      await one(dates, signal, { sinceDate: hoursAgo(999) })
    const requests = carrier.requests().slice(before)
    assert.ok(requests.filter(({ body }) => body.includes(NUMBER)).length >= 8)
    for (const { path, headers } of requests)
      assert.ok(!`${path} ${JSON.stringify(headers)}`.includes(NUMBER.slice(1)))
  })

  function apiRequests(): number {
    return carrier.requests().filter(({ path }) => path !== "/token").length
  }
})
