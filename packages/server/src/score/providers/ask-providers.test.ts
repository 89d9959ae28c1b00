import assert from "node:assert/strict"
import { test } from "node:test"
import * as fc from "fast-check"
import type { PhoneSignals, SignalQuestion } from "./phone-signals.ts"
import { SIGNAL_STATUSES, type SignalName } from "./signals.ts"
import { askProviders, type ProviderAsker } from "./ask-providers.ts"
import { openProviderCalls } from "./provider-calls.ts"
import { PROVIDER_LIMITS } from "./provider-limits.ts"
import type { Spend } from "./spending.ts"
import {
  type HeldProvider,
  holdProvider,
  OBSERVED_AT,
  openTestMetrics,
  openTestSpending,
} from "../../../testing/score/providers/test-provider.ts"

const MINUTE = 60_000

const question: SignalQuestion = {
  tenantId: 7,
  e164: "+61491570006",
  region: "AU",
  key: "00ff",
  sinceMs: null,
  tenantCapMicros: null,
}

interface Opened {
  readonly asker: ProviderAsker
  readonly spent: readonly Spend[]
  readonly counted: string[]
  readonly clock: { ms: number }
}

/** With a minute for an answer, which no test waits for unless it is about time. */
function opened(held: readonly HeldProvider[], budgetMs = MINUTE): Opened {
  const { spending, spent } = openTestSpending()
  const { metrics, counted } = openTestMetrics()
  const clock = { ms: 0 }
  const time = { now: () => clock.ms, date: () => OBSERVED_AT }
  const providers = held.map(({ provider }) =>
    openProviderCalls({
      provider,
      timeoutMs: MINUTE,
      tenantCapMicros: 1_000_000,
      spending,
      limits: PROVIDER_LIMITS,
      metrics,
      clock: time,
    }),
  )
  const asker = askProviders({ providers, budgetMs, answersMax: 1000, clock: time })
  return { asker, spent, counted, clock }
}

const words = ({ state, results }: PhoneSignals): string[] => {
  assert.equal(state, "asked")
  return results.map(({ signal, status, source }) => `${signal} ${status} ${source}`)
}

test("every signal that anybody can answer for is asked for, each call on its own", async () => {
  const one = holdProvider({ signals: ["sim_change", "device_change"] })
  const two = holdProvider({
    id: "twilio",
    signals: ["line_type", "call_forwarding"],
    together: true,
  })
  const { asker, spent } = opened([one, two])
  const looking = asker.look(question)
  ;(await one.call(1)).answer("ok")
  ;(await one.call(0)).answer("ok")
  const { request, answer } = await two.call(0)
  assert.deepEqual(request.signals, ["line_type", "call_forwarding"])
  answer("ok")
  assert.deepEqual(words(await looking), [
    "line_type ok twilio",
    "sim_change ok camara:one",
    "device_change ok camara:one",
    "call_forwarding ok twilio",
  ])
  assert.deepEqual(spent.map(({ provider, micros }) => `${provider} ${micros}`).sort(), [
    "camara:one 10",
    "camara:one 10",
    "twilio 20",
  ])
})

test("a number nobody can answer for costs nothing", async () => {
  const { asker, spent } = opened([holdProvider({ signals: [] })])
  assert.deepEqual(await asker.look(question), { state: "asked", results: [] })
  assert.equal(spent.length, 0)
})

test("however many requests of a tenant wait for a number, it is asked and paid for once", async () => {
  const one = holdProvider()
  const { asker, spent } = opened([one])
  const looking = [asker.look(question), asker.look(question), asker.look(question)]
  ;(await one.call(0)).answer("ok", { value: { none: true } })
  for (const found of await Promise.all(looking))
    assert.deepEqual(words(found), ["sim_change ok camara:one"])
  await asker.look(question)
  assert.equal(one.calls.length, 1)
  assert.equal(spent.length, 1)
})

test("no tenant gets what another paid for", async () => {
  const one = holdProvider()
  const { asker } = opened([one])
  const first = asker.look(question)
  const second = asker.look({ ...question, tenantId: 8 })
  ;(await one.call(0)).answer("ok", { value: { none: true } })
  assert.deepEqual(words(await first), ["sim_change ok camara:one"])
  ;(await one.call(1)).answer("no_coverage")
  assert.deepEqual(words(await second), ["sim_change no_coverage camara:one"])
  const third = asker.look({ ...question, tenantId: 9 })
  ;(await one.call(2)).answer("error")
  assert.deepEqual(words(await third), ["sim_change error camara:one"])
})

test("an answer is remembered for its time, and then asked for anew", async () => {
  const one = holdProvider()
  const { asker, clock } = opened([one])
  const first = asker.look(question)
  ;(await one.call(0)).answer("ok", { value: { none: true } })
  await first
  clock.ms = 5 * MINUTE - 1
  assert.deepEqual(words(await asker.look(question)), ["sim_change ok camara:one"])
  clock.ms = 5 * MINUTE
  const again = asker.look(question)
  ;(await one.call(1)).answer("ok", { value: { at: "2026-03-10T11:59:00Z" } })
  assert.deepEqual((await again).results[0]?.value, { at: "2026-03-10T11:59:00Z" })
})

test("an answer that is late is a timeout, and is there for the next request", async () => {
  const [quick, slow] = [
    holdProvider({ signals: ["active"] }),
    holdProvider({ id: "twilio", signals: ["sim_change"] }),
  ]
  const { asker, counted } = opened([quick, slow], 50)
  const looking = asker.look(question)
  ;(await quick.call(0)).answer("ok", { value: true })
  const held = await slow.call(0)
  const found = await looking
  assert.deepEqual(words(found).at(-1), "sim_change timeout twilio")
  assert.equal(found.results.at(-1)?.value, undefined)
  assert.ok(counted.includes("late"))
  held.answer("ok", { value: { none: true } })
  assert.deepEqual(words(await asker.look(question)), [
    "active ok camara:one",
    "sim_change ok twilio",
  ])
  assert.equal(slow.calls.length, 1)
})

test("a call that ran out of its own time is made again with the next request", async () => {
  const one = holdProvider()
  const { asker } = opened([one])
  const first = asker.look(question)
  ;(await one.call(0)).answer("timeout")
  assert.deepEqual(words(await first), ["sim_change timeout camara:one"])
  const second = asker.look(question)
  ;(await one.call(1)).answer("ok")
  assert.deepEqual(words(await second), ["sim_change ok camara:one"])
})

for (const status of SIGNAL_STATUSES) {
  const isForAnother = ["no_coverage", "not_found", "not_applicable", "consent_required"].includes(
    status,
  )
  test(`after ${status} the next provider is ${isForAnother ? "" : "not "}asked`, async () => {
    const [one, two] = [holdProvider(), holdProvider({ id: "twilio" })]
    const { asker } = opened([one, two])
    const looking = asker.look(question)
    ;(await one.call(0)).answer(status)
    if (isForAnother) (await two.call(0)).answer("ok", { value: { none: true } })
    assert.deepEqual(words(await looking), [
      isForAnother ? "sim_change ok twilio" : `sim_change ${status} camara:one`,
    ])
    assert.equal(two.calls.length, isForAnother ? 1 : 0)
  })
}

test("the last provider's word holds where none can answer, and only signals in need go on to it", async () => {
  const signals: readonly SignalName[] = ["active", "sim_change"]
  const [one, two] = [
    holdProvider({ signals, together: true }),
    holdProvider({ id: "twilio", signals, together: true }),
  ]
  const { asker, spent } = opened([one, two])
  const looking = asker.look(question)
  const { answerWith } = await one.call(0)
  answerWith([
    { signal: "sim_change", status: "no_coverage", source: "camara:one", observedAt: OBSERVED_AT },
    { signal: "active", status: "ok", value: true, source: "camara:one", observedAt: OBSERVED_AT },
  ])
  const second = await two.call(0)
  assert.deepEqual(second.request.signals, ["sim_change"])
  second.answer("not_found")
  assert.deepEqual(words(await looking), ["active ok camara:one", "sim_change not_found twilio"])
  assert.equal(spent.length, 2)
})

test("whether a number was recycled is not asked without a date, and remembered for each date alone", async () => {
  const one = holdProvider({ signals: ["recycled"] })
  const { asker, spent } = opened([one])
  const { results } = await asker.look(question)
  assert.deepEqual(
    results.map(({ signal, status, providerCode }) => [signal, status, providerCode]),
    [["recycled", "not_applicable", "no_date"]],
  )
  assert.equal(spent.length, 0)
  for (const [at, sinceMs] of [Date.UTC(2025, 0, 1), Date.UTC(2026, 0, 1)].entries()) {
    const looking = asker.look({ ...question, sinceMs })
    ;(await one.call(at)).answer("ok", { value: at === 0 })
    assert.equal((await looking).results[0]?.value, at === 0)
  }
  const sameDay = await asker.look({ ...question, sinceMs: Date.UTC(2025, 0, 1, 9) })
  assert.equal(sameDay.results[0]?.value, true)
  assert.equal(one.calls.length, 2)
})

test("a change takes along what was remembered, and what was asked before it and answered after it", async () => {
  const one = holdProvider()
  const { asker } = opened([one])
  const first = asker.look(question)
  ;(await one.call(0)).answer("ok", { value: { none: true } })
  await first
  asker.forget(question.key)
  const second = asker.look(question)
  const asked = await one.call(1)
  asker.forget(question.key)
  asked.answer("ok", { value: { none: true } })
  await second
  const third = asker.look(question)
  ;(await one.call(2)).answer("ok", { value: { at: OBSERVED_AT } })
  assert.deepEqual((await third).results[0]?.value, { at: OBSERVED_AT })
})

test("closing ends what is under way, and answers all the same", async () => {
  const one = holdProvider()
  const { asker } = opened([one])
  const looking = asker.look(question)
  await one.call(0)
  asker.close()
  assert.deepEqual(words(await looking), ["sim_change timeout camara:one"])
  assert.deepEqual(words(await asker.look(question)), ["sim_change error camara:one"])
})

test("whatever providers answer, each signal has one answer, with a value only where a provider gave it", async () => {
  const statuses = fc.array(fc.constantFrom(...SIGNAL_STATUSES), { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(statuses, async (said) => {
      const held = said.map((status, at) => holdProvider({ id: `camara:${at}`, says: status }))
      const { results } = await opened(held).asker.look(question)
      assert.equal(results.length, 1)
      const [result] = results
      assert.equal(result?.status, said[Number(result?.source.slice("camara:".length))])
      const isValue = result?.status === "ok" || result?.status === "partial"
      assert.deepEqual(result?.value, isValue ? { none: true } : undefined)
    }),
    { seed: 29, numRuns: 200 },
  )
})
