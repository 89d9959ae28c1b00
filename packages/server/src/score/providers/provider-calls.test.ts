import assert from "node:assert/strict"
import { test } from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import type { SignalQuestion } from "./phone-signals.ts"
import { SIGNAL_STATUSES, type SignalResult } from "./signals.ts"
import { INVALID_DATE } from "./change-date.ts"
import { CONNECTION_FAILED } from "./passing-faults.ts"
import { openProviderCalls, type ProviderCalls } from "./provider-calls.ts"
import type { ProviderLimits } from "./provider-limits.ts"
import type { Spend } from "./spending.ts"
import {
  type HeldProvider,
  holdProvider,
  OBSERVED_AT,
  openTestMetrics,
  openTestSpending,
  resultOf,
} from "../../../testing/score/providers/test-provider.ts"

const LIMITS: ProviderLimits = {
  togetherMax: 2,
  waitingMax: 1,
  failuresMax: 2,
  pauseMs: 1000,
  rateLimitedPauseMs: 500,
  callsPerRetry: 10,
  savedMax: 10,
}

const question: SignalQuestion = {
  tenantId: 7,
  e164: "+61491570006",
  region: "AU",
  key: "00ff",
  sinceMs: Date.UTC(2026, 0, 2, 3),
  tenantCapMicros: null,
}

interface Opened extends HeldProvider {
  readonly asked: ProviderCalls
  readonly spent: readonly Spend[]
  readonly counted: string[]
  readonly clock: { ms: number }
}

/** A minute to answer in: no test waits for it. */
function opened(
  held: HeldProvider = holdProvider(),
  change: {
    limits?: Partial<ProviderLimits>
    allows?: (spend: Spend) => boolean | Promise<boolean>
    timeoutMs?: number
  } = {},
): Opened {
  const { spending, spent } = openTestSpending(change.allows)
  const { metrics, counted } = openTestMetrics()
  const clock = { ms: 0 }
  const asked = openProviderCalls({
    provider: held.provider,
    timeoutMs: change.timeoutMs ?? 60_000,
    tenantCapMicros: 5_000,
    spending,
    limits: { ...LIMITS, ...change.limits },
    metrics,
    clock: { now: () => clock.ms, date: () => OBSERVED_AT },
  })
  return { ...held, asked, spent, counted, clock }
}

const words = (results: readonly SignalResult[]): string[] =>
  results.map(({ signal, status, providerCode = "" }) =>
    `${signal} ${status} ${providerCode}`.trim(),
  )

test("a call is paid for first, and gives the provider the number, the window, the date and a random id", async () => {
  const { asked, call, spent, counted } = opened()
  const answering = asked.ask(question, ["sim_change"])
  const { request, answer } = await call(0)
  assert.deepEqual(spent, [
    { tenantId: 7, provider: "camara:one", micros: 10, tenantCapMicros: 5_000 },
  ])
  assert.equal(request.e164, question.e164)
  assert.equal(request.simWindowHours, 240)
  assert.equal(request.sinceDate, "2026-01-02T03:00:00.000Z")
  assert.match(request.correlationId, /^[0-9a-f-]{36}$/)
  answer("ok", { value: { none: true }, coveredWindow: "240h" })
  assert.deepEqual(await answering, [
    resultOf("sim_change", "ok", "camara:one", { value: { none: true }, coveredWindow: "240h" }),
  ])
  assert.deepEqual(counted, ["cost 10", "call ok"])
})

test("a tenant's own cap goes before the one for everybody", async () => {
  const { asked, call, spent } = opened()
  const answering = asked.ask({ ...question, tenantCapMicros: 0 }, ["sim_change"])
  ;(await call(0)).answer("ok")
  await answering
  assert.equal(spent[0]?.tenantCapMicros, 0)
})

test("at a cap nobody is asked, and the signals say so", async () => {
  const { asked, calls, counted } = opened(holdProvider({ together: true }), {
    allows: () => false,
  })
  const results = await asked.ask(question, ["sim_change", "active"])
  assert.deepEqual(words(results), [
    "sim_change rate_limited cost_cap",
    "active rate_limited cost_cap",
  ])
  assert.equal(calls.length, 0)
  assert.deepEqual(counted, ["not asked cost_cap"])
})

test("caps reached over and over leave the provider open for those who may pay", async () => {
  const { asked, call } = opened(undefined, { allows: ({ tenantId }) => tenantId !== 7 })
  for (let n = 0; n < 10; n++) await asked.ask(question, ["sim_change"])
  const answering = asked.ask({ ...question, tenantId: 8 }, ["sim_change"])
  ;(await call(0)).answer("ok")
  assert.deepEqual(words(await answering), ["sim_change ok"])
})

test("a call that cannot be counted is not made", async () => {
  const { asked, calls, counted } = opened(undefined, {
    allows: () => Promise.reject(new Error("the records are away")),
  })
  assert.deepEqual(words(await asked.ask(question, ["sim_change"])), [
    "sim_change error not_counted",
  ])
  assert.equal(calls.length, 0)
  assert.deepEqual(counted, ["not asked not_counted"])
})

test("a connection that failed is tried once more, paid for once more, and no third time", async () => {
  const { asked, call, calls, spent, counted } = opened()
  const answering = asked.ask(question, ["sim_change"])
  ;(await call(0)).answer("error", { providerCode: CONNECTION_FAILED })
  ;(await call(1)).answer("error", { providerCode: CONNECTION_FAILED })
  assert.deepEqual(words(await answering), [`sim_change error ${CONNECTION_FAILED}`])
  assert.equal(calls.length, 2)
  assert.equal(spent.length, 2)
  assert.deepEqual(counted, ["cost 10", "call error", "cost 10", "retry", "call error"])
})

test("second tries end with the budget for them", async () => {
  const { asked, call, calls } = opened(undefined, { limits: { failuresMax: 100 } })
  for (let n = 0; n < 2; n++) {
    const answering = asked.ask(question, ["sim_change"])
    for (let at = 0; at < 2 - n; at++)
      (await call(2 * n + at)).answer("error", { providerCode: "http_503" })
    await answering
  }
  assert.equal(calls.length, 3)
})

test("a second try that may not be paid for is not made, and the first one's answer holds", async () => {
  let left = 1
  const { asked, call, calls } = opened(undefined, { allows: () => left-- > 0 })
  const answering = asked.ask(question, ["sim_change"])
  ;(await call(0)).answer("error", { providerCode: "http_502" })
  assert.deepEqual(words(await answering), ["sim_change error http_502"])
  assert.equal(calls.length, 1)
})

test("nothing else is tried again: neither an answer nor a fault of the question or of ours", async () => {
  for (const status of SIGNAL_STATUSES)
    for (const providerCode of ["http_500", "malformed", "INVALID_ARGUMENT"]) {
      const { asked, call, calls } = opened()
      const answering = asked.ask(question, ["sim_change"])
      ;(await call(0)).answer(status, { providerCode })
      assert.deepEqual(words(await answering), [`sim_change ${status} ${providerCode}`])
      assert.equal(calls.length, 1)
    }
})

for (const [status, isFailure] of [
  ["timeout", true],
  ["error", true],
  ["unauthorized", true],
  ["ok", false],
  ["partial", false],
  ["no_coverage", false],
  ["not_found", false],
  ["not_applicable", false],
  ["consent_required", false],
] as const) {
  test(`${status} ${isFailure ? "opens" : "does not open"} the breaker`, async () => {
    const { asked, call, calls, counted, clock } = opened()
    for (let n = 0; n < 2; n++) {
      const answering = asked.ask(question, ["sim_change"])
      ;(await call(n)).answer(status)
      await answering
    }
    assert.equal(counted.includes("open"), isFailure)
    if (!isFailure) return
    assert.deepEqual(words(await asked.ask(question, ["sim_change"])), [
      "sim_change error breaker_open",
    ])
    assert.equal(calls.length, 2)
    clock.ms = 1000
    const trial = asked.ask(question, ["sim_change"])
    ;(await call(2)).answer("ok")
    assert.deepEqual(words(await trial), ["sim_change ok"])
    assert.equal(counted.at(-1), "closed")
  })
}

test("dates of single numbers that cannot be believed do not open the breaker", async () => {
  const { asked, call, counted } = opened()
  for (let n = 0; n < 3; n++) {
    const answering = asked.ask(question, ["sim_change"])
    ;(await call(n)).answer("error", { providerCode: INVALID_DATE })
    assert.deepEqual(words(await answering), ["sim_change error invalid_date"])
  }
  assert.equal(counted.includes("open"), false)
})

test("a provider that was asked too often is left alone for a while, and is not taken for broken", async () => {
  const { asked, call, calls, counted, clock } = opened()
  const first = asked.ask(question, ["sim_change"])
  ;(await call(0)).answer("rate_limited", { providerCode: "QUOTA_EXCEEDED" })
  assert.deepEqual(words(await first), ["sim_change rate_limited QUOTA_EXCEEDED"])
  clock.ms = 499
  assert.deepEqual(words(await asked.ask(question, ["sim_change"])), [
    "sim_change rate_limited paused",
  ])
  assert.equal(calls.length, 1)
  clock.ms = 500
  const again = asked.ask(question, ["sim_change"])
  ;(await call(1)).answer("ok")
  assert.deepEqual(words(await again), ["sim_change ok"])
  assert.equal(counted.includes("open"), false)
})

test("past the calls at once and those that wait nobody is asked", async () => {
  const { asked, call, calls } = opened()
  const [first, second, third] = [1, 2, 3].map((tenantId) =>
    asked.ask({ ...question, tenantId }, ["sim_change"]),
  )
  assert.deepEqual(words(await asked.ask(question, ["sim_change"])), [
    "sim_change rate_limited queue_full",
  ])
  const running = await call(1)
  assert.equal(calls.length, 2)
  running.answer("ok")
  await second
  ;(await call(2)).answer("ok")
  ;(await call(0)).answer("ok")
  await Promise.all([first, third])
  assert.equal(calls.length, 3)
})

test("a call's time ends it, and what its adapter made of it by then is kept", async () => {
  const { asked } = opened(undefined, { timeoutMs: 1 })
  assert.deepEqual(words(await asked.ask(question, ["sim_change"])), ["sim_change timeout"])
})

test("an adapter that heeds no time limit gives its lane back all the same", async () => {
  const { asked, call } = opened(holdProvider({ heedsAbort: false }), {
    timeoutMs: 1,
    limits: { togetherMax: 1 },
  })
  assert.deepEqual(words(await asked.ask(question, ["sim_change"])), ["sim_change timeout"])
  const next = asked.ask(question, ["sim_change"])
  ;(await call(1)).answer("ok")
  assert.deepEqual(words(await next), ["sim_change ok"])
})

test("a second try whose time is over before it is paid for is not made, and gives its lane back", async () => {
  const paid = Promise.withResolvers<boolean>()
  const held = opened(holdProvider({ heedsAbort: false }), {
    allows: () => held.calls.length === 0 || paid.promise,
  })
  const { asked, call, calls } = held
  const answering = asked.ask(question, ["sim_change"])
  ;(await call(0)).answer("error", { providerCode: CONNECTION_FAILED })
  // The close comes while the records are written: code that began to listen only then would wait
  // for ever.
  await turn()
  asked.close()
  paid.resolve(true)
  assert.deepEqual(words(await answering), [`sim_change error ${CONNECTION_FAILED}`])
  assert.equal(calls.length, 1)
})

test("an adapter that throws, or leaves a signal out, gives those signals a failed status", async () => {
  const { asked, call } = opened(holdProvider({ together: true }))
  const thrown = asked.ask(question, ["sim_change", "active"])
  ;(await call(0)).fail(new TypeError("a bug"))
  assert.deepEqual(words(await thrown), ["sim_change error no_answer", "active error no_answer"])
  const halved = asked.ask(question, ["sim_change", "active"])
  ;(await call(1)).answerWith([resultOf("active", "ok", "camara:one", { value: true })])
  assert.deepEqual(words(await halved), ["sim_change error no_answer", "active ok"])
})

test("closing ends calls under way and those that wait, and asks nobody from then on", async () => {
  const { asked, call, calls } = opened(undefined, { limits: { togetherMax: 1 } })
  const first = asked.ask(question, ["sim_change"])
  const second = asked.ask(question, ["sim_change"])
  await call(0)
  asked.close()
  assert.deepEqual(words(await first), ["sim_change timeout"])
  assert.deepEqual(words(await second), ["sim_change error stopping"])
  assert.deepEqual(words(await asked.ask(question, ["sim_change"])), ["sim_change error stopping"])
  assert.equal(calls.length, 1)
})
