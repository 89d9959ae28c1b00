import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, suite, test } from "node:test"
import type { TrialFault } from "@assay/carrier/script"
import { openTrialTwilio } from "@assay/carrier/twilio"
import type { PhoneSignalProvider, SignalName, SignalRequest, SignalResult } from "../signals.ts"
import { mayPass } from "../passing-faults.ts"
import type { TwilioSettings } from "./twilio-settings.ts"
import { openTwilioProvider } from "./twilio-provider.ts"

const NOW = Date.parse("2026-11-15T12:00:00Z")
const USER = "ACtrial"
const PASSWORD = "canary-of-a-password"
const NUMBER = "+61491570156"
const FIELDS = {
  line_type_intelligence: 0.008,
  sim_swap: 0.05,
  call_forwarding: 0.04,
  reassigned_number: 0.02,
  line_status: 0.007,
}
const ALL: readonly SignalName[] = [
  "line_type",
  "carrier",
  "sim_change",
  "call_forwarding",
  "recycled",
  "active",
  "reachable",
]

suite("Twilio Lookup, as the carrier for trials speaks it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-twilio-"))
  const passwordFile = join(folder, "password")
  writeFileSync(passwordFile, `${PASSWORD}\n`)
  const wrongFile = join(folder, "wrong")
  writeFileSync(wrongFile, "another password")
  const emptyFile = join(folder, "empty")
  writeFileSync(emptyFile, "\n")
  const twilio = await openTrialTwilio({ user: USER, password: PASSWORD, now: () => NOW })
  const opened: PhoneSignalProvider[] = []

  function open(settings: Partial<TwilioSettings> = {}): PhoneSignalProvider {
    const provider = openTwilioProvider(
      {
        base_url: twilio.url,
        user: USER,
        password_file: passwordFile,
        fields: FIELDS,
        ...settings,
      },
      { now: () => NOW },
    )
    opened.push(provider)
    return provider
  }

  const provider = open()
  after(async () => {
    for (const each of opened) each.close()
    await twilio.close()
    rmSync(folder, { recursive: true })
  })

  async function ask(
    request: Partial<SignalRequest> = {},
    from = provider,
  ): Promise<Map<SignalName, SignalResult>> {
    const results = await from.fetch({
      e164: NUMBER,
      signals: ALL,
      simWindowHours: 240,
      sinceDate: "2026-05-03T10:00:00.000Z",
      correlationId: "00000000-0000-4000-8000-000000000000",
      abort: AbortSignal.timeout(5000),
      ...request,
    })
    assert.deepEqual(
      results.map(({ signal }) => signal),
      request.signals ?? ALL,
    )
    return new Map(results.map((result) => [result.signal, result]))
  }

  /** How every signal is answered while Twilio has this fault. */
  async function askDuring(fault: TrialFault): Promise<SignalResult[]> {
    twilio.script(NUMBER, { faults: [fault] })
    const results = [...(await ask()).values()]
    twilio.script(NUMBER, {})
    for (const { value } of results) assert.equal(value, undefined)
    return results
  }

  test("one request asks for all fields, names nothing but the number and the day, and shows the password", async () => {
    await ask()
    const { method, target, headers } = twilio.requests().at(-1) ?? assert.fail()
    assert.equal(method, "GET")
    const { pathname, searchParams } = new URL(target, twilio.url)
    assert.equal(pathname, "/v2/PhoneNumbers/%2B61491570156")
    assert.deepEqual(
      [...searchParams],
      [
        ["Fields", "line_type_intelligence,sim_swap,call_forwarding,reassigned_number,line_status"],
        ["LastVerifiedDate", "20260503"],
      ],
    )
    const basic = Buffer.from(`${USER}:${PASSWORD}`).toString("base64")
    assert.equal(headers.authorization, `Basic ${basic}`)
    assert.equal(headers["user-agent"], "assay")
    for (const field of ["cookie", "referer", "from", "x-request-id", "x-correlator"])
      assert.ok(!(field in headers), field)
  })

  test("a number of which nothing bad is known has a value for every signal", async () => {
    const results = await ask()
    for (const { status, source, observedAt, billable } of results.values())
      assert.deepEqual(
        [status, source, observedAt, billable],
        ["ok", "twilio", "2026-11-15T12:00:00.000Z", true],
      )
    assert.equal(results.get("line_type")?.value, "mobile")
    assert.deepEqual(results.get("carrier")?.value, { name: "Trial Mobile", region: null })
    assert.equal(results.get("call_forwarding")?.value, false)
    assert.equal(results.get("recycled")?.value, false)
    assert.equal(results.get("active")?.value, true)
    assert.equal(results.get("reachable")?.value, true)
  })

  test("what is scripted of a number comes back as signals", async () => {
    twilio.script(NUMBER, {
      type: "nonFixedVoip",
      carrier: "Example Voice",
      sim: { changed_at: "2026-11-15T10:00:00Z" },
      forwarding: true,
      reassigned_on: "2026-06-01",
      status: "inactive",
    })
    const results = await ask()
    assert.equal(results.get("line_type")?.value, "voip_non_fixed")
    assert.deepEqual(results.get("carrier")?.value, { name: "Example Voice", region: null })
    assert.deepEqual(results.get("sim_change")?.value, { at: "2026-11-15T10:00:00.000Z" })
    assert.equal(results.get("call_forwarding")?.value, true)
    assert.equal(results.get("recycled")?.value, true)
    assert.equal(results.get("active")?.value, false)
    assert.equal(results.get("reachable")?.status, "not_applicable")
    twilio.script(NUMBER, {})
  })

  test("a number that changed hands before the day asked about did not since", async () => {
    twilio.script(NUMBER, { reassigned_on: "2026-05-03" })
    assert.equal((await ask()).get("recycled")?.value, false)
    twilio.script(NUMBER, { reassigned_on: "unknown" })
    assert.equal((await ask()).get("recycled")?.status, "no_coverage")
    twilio.script(NUMBER, {})
  })

  test("if only a period is given, a change is inside it and none is outside it", async () => {
    twilio.script(NUMBER, { sim: { changed_at: "2026-11-13T12:00:00Z", period_hours: 72 } })
    const inside = (await ask()).get("sim_change")
    assert.deepEqual(
      [inside?.status, inside?.value],
      ["partial", { withinHours: 72, notWithinHours: null }],
    )
    twilio.script(NUMBER, { sim: { changed_at: "2026-11-13T12:00:00Z", period_hours: 24 } })
    const outside = (await ask()).get("sim_change")
    assert.deepEqual(
      [outside?.status, outside?.value, outside?.coveredWindow],
      ["partial", { none: true }, "24h"],
    )
    for (const sim of [{ changed_at: null }, { changed_at: null, period_hours: 24 }]) {
      twilio.script(NUMBER, { sim })
      assert.equal((await ask()).get("sim_change")?.status, "no_coverage")
    }
    twilio.script(NUMBER, { sim: { changed_at: "1900-01-01T00:00:00Z" } })
    assert.equal((await ask()).get("sim_change")?.providerCode, "invalid_date")
    twilio.script(NUMBER, {})
  })

  test("each field stands for itself: a code or a gap of one leaves the others", async () => {
    twilio.script(NUMBER, {
      codes: { sim_swap: 60620, line_type_intelligence: 60601 },
      not_covered: ["call_forwarding"],
    })
    const results = await ask()
    assert.deepEqual(
      ALL.map((signal) => results.get(signal)?.status),
      ["unauthorized", "unauthorized", "not_found", "no_coverage", "ok", "ok", "ok"],
    )
    assert.equal(results.get("sim_change")?.providerCode, "60620")
    twilio.script(NUMBER, {})
  })

  test("without a date nobody is asked whether the number changed hands", async () => {
    const results = await ask({ sinceDate: null })
    assert.equal(results.get("recycled")?.status, "not_applicable")
    assert.equal(results.get("active")?.status, "ok")
    const { target } = twilio.requests().at(-1) ?? assert.fail()
    assert.doesNotMatch(target, /reassigned_number|LastVerifiedDate/)
    const before = twilio.requests().length
    const alone = await ask({ sinceDate: null, signals: ["recycled"] })
    assert.equal(alone.get("recycled")?.status, "not_applicable")
    assert.equal(twilio.requests().length, before)
  })

  test("a proof dated ahead of our clock is one of today", async () => {
    await ask({ sinceDate: "2026-11-16T00:03:00.000Z", signals: ["recycled"] })
    assert.match(twilio.requests().at(-1)?.target ?? "", /LastVerifiedDate=20261115$/)
  })

  test("only fields that have a price are asked for, and only for signals that are wanted", async () => {
    const small = open({ fields: { sim_swap: 0.05 } })
    assert.deepEqual(small.capabilities({ e164: NUMBER, region: "AU" }), ["carrier", "sim_change"])
    assert.equal((await ask({ signals: ["carrier"] }, small)).get("carrier")?.status, "ok")
    assert.match(twilio.requests().at(-1)?.target ?? "", /\?Fields=sim_swap$/)
    const unoffered = await ask({ signals: ["active", "sim_change"] }, small)
    assert.deepEqual(
      [...unoffered.values()].map(({ status }) => status),
      ["no_coverage", "ok"],
    )
  })

  test("numbers outside the ranges are nobody's to send", () => {
    const ranged = open({ ranges: ["+61", "+4477"] })
    assert.deepEqual(ranged.capabilities({ e164: "+61491570156", region: "AU" }), ALL)
    assert.deepEqual(ranged.capabilities({ e164: "+447700900123", region: "GB" }), ALL)
    assert.deepEqual(ranged.capabilities({ e164: "+12025550123", region: "US" }), [])
  })

  test("a call costs what its fields cost, each once", () => {
    assert.deepEqual(provider.calls(ALL), [ALL])
    assert.equal(provider.priceMicros(ALL), 125_000)
    assert.equal(provider.priceMicros(["line_type", "carrier"]), 8_000)
    assert.equal(provider.priceMicros(["active", "reachable"]), 7_000)
    assert.equal(provider.priceMicros([]), 0)
  })

  const failures: readonly (readonly [TrialFault, string, string])[] = [
    [{ kind: "error", status: 400, code: "400" }, "error", "400"],
    [{ kind: "error", status: 400, code: "60607" }, "no_coverage", "60607"],
    [{ kind: "error", status: 401, code: "20003" }, "unauthorized", "http_401"],
    [{ kind: "error", status: 403, code: "20403" }, "consent_required", "20403"],
    [{ kind: "error", status: 404, code: "20404" }, "not_found", "20404"],
    [{ kind: "html", status: 404 }, "error", "http_404"],
    [{ kind: "error", status: 429, code: "20429" }, "rate_limited", "20429"],
    [{ kind: "html", status: 429 }, "rate_limited", "http_429"],
    [{ kind: "html", status: 500 }, "error", "http_500"],
    [{ kind: "html", status: 502 }, "error", "http_502"],
    [{ kind: "error", status: 503, code: "20503" }, "error", "http_503"],
    [{ kind: "html", status: 504 }, "timeout", "http_504"],
    [{ kind: "html", status: 200 }, "error", "malformed"],
    [{ kind: "malformed" }, "error", "malformed"],
    [{ kind: "empty" }, "error", "malformed"],
    [{ kind: "wrong_types" }, "error", "malformed"],
    [{ kind: "oversized" }, "error", "malformed"],
    [{ kind: "truncated" }, "error", "connection_failed"],
    [{ kind: "closed" }, "error", "connection_failed"],
    [{ kind: "redirect" }, "error", "redirect"],
  ]
  for (const [fault, status, code] of failures)
    test(`${JSON.stringify(fault)} says ${status} of every signal and nothing else`, async () => {
      for (const result of await askDuring(fault))
        assert.deepEqual([result.status, result.providerCode], [status, code])
    })

  test("a redirect is not followed", () => {
    assert.ok(twilio.requests().every(({ target }) => !target.includes("elsewhere")))
  })

  test("what went wrong on the way may be tried again, and nothing else", async () => {
    const passing = await Promise.all(
      failures.map(async ([fault]) => {
        const other = `+6149157${String(failures.findIndex(([each]) => each === fault)).padStart(4, "0")}`
        twilio.script(other, { faults: [fault] })
        const results = [...(await ask({ e164: other })).values()]
        return results.every(mayPass) ? JSON.stringify(fault) : null
      }),
    )
    assert.deepEqual(
      passing.filter((fault) => fault !== null),
      [
        '{"kind":"html","status":502}',
        '{"kind":"error","status":503,"code":"20503"}',
        '{"kind":"html","status":504}',
        '{"kind":"truncated"}',
        '{"kind":"closed"}',
      ],
    )
  })

  test("an answer that is not awaited any longer is a time-out", async () => {
    twilio.script(NUMBER, { faults: [{ kind: "late", latency_ms: 60_000 }] })
    const controller = new AbortController()
    const asking = ask({ abort: controller.signal })
    controller.abort()
    for (const { status, providerCode } of (await asking).values())
      assert.deepEqual([status, providerCode], ["timeout", undefined])
    twilio.script(NUMBER, {})
  })

  test("closing ends what is under way, and what is asked afterwards", async () => {
    const closed = open()
    twilio.script(NUMBER, { faults: [{ kind: "late", latency_ms: 60_000 }] })
    const asking = ask({}, closed)
    closed.close()
    for (const { status } of (await asking).values()) assert.equal(status, "timeout")
    twilio.script(NUMBER, {})
    for (const { status } of (await ask({}, closed)).values()) assert.equal(status, "timeout")
  })

  test("nobody at the other end is an error, not an answer", async () => {
    const server = createServer()
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const nobody = open({ base_url: `http://127.0.0.1:${port}/` })
    for (const { status, providerCode } of (await ask({}, nobody)).values())
      assert.deepEqual([status, providerCode], ["error", "connection_failed"])
    await assert.rejects(nobody.check(AbortSignal.timeout(5000)), {
      message: "Twilio cannot be reached",
    })
  })

  test("a wrong password is reported as such, by a look-up and by a check", async () => {
    const wrong = open({ password_file: wrongFile })
    for (const { status } of (await ask({}, wrong)).values()) assert.equal(status, "unauthorized")
    await assert.rejects(wrong.check(AbortSignal.timeout(5000)), {
      message: "Twilio does not accept the user and the password",
    })
  })

  test("a check takes the password to Twilio and names no number", async () => {
    await provider.check(AbortSignal.timeout(5000))
    assert.equal(twilio.requests().at(-1)?.target, "/v2/RateLimits")
  })

  test("settings that cannot be used are refused by their place, and no value is repeated", () => {
    assert.throws(() => open({ password_file: emptyFile }), {
      code: "settings-file",
      message: "at /twilio/password_file: is empty",
    })
    assert.throws(() => open({ user: "AC:trial" }), {
      code: "settings-file",
      message: "at /twilio/user: has a colon",
    })
  })

  test("no result holds the number, the password or the day", async () => {
    for (const [fault] of [...failures, [{ kind: "late" } as const]]) {
      twilio.script(NUMBER, { faults: [fault] })
      const text = JSON.stringify([...(await ask()).values()])
      for (const canary of ["491570156", PASSWORD, USER, "2026-05-03", "20260503"])
        assert.ok(!text.includes(canary), `${fault.kind}: ${canary}`)
    }
    twilio.script(NUMBER, {})
  })
})
