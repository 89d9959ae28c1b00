import assert from "node:assert/strict"
import { test } from "node:test"
import { Problem } from "../base/problem.ts"
import type { Counters } from "@assay/stores/counters"
import { embeddedCounters, type EmbeddedCounters } from "@assay/stores/embedded/counters"
import { DAY_MS } from "@assay/runtime/time"
import type { Caller } from "./callers.ts"
import { LINES_A_REQUEST, type Limits, openLimits } from "./limits.ts"
import { plans } from "./plans.ts"
import { DEFAULT_SCORING } from "./tenant-settings.ts"

const START = Date.UTC(2026, 10, 14, 12)
const caller: Caller = {
  keyId: "k",
  tenantId: 1,
  plan: plans.free,
  scopes: new Set(),
  person: null,
  shadow: null,
  ...DEFAULT_SCORING,
}
const unlimited: Caller = { ...caller, plan: plans.enterprise }
const { requestsPerSecond, lookupsPerMonth, identitiesPerDay } = plans.free.limits
const allowed = { perSecond: requestsPerSecond, perMonth: lookupsPerMonth }
const tag = (n = 0) => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setUint32(0, n)
  return (): Uint8Array => bytes
}

interface Opened {
  readonly limits: Limits
  /** A second worker on the same counters. */
  readonly other: Limits
  readonly counters: EmbeddedCounters
  readonly clock: { ms: number; elapsedMs: number }
  /** How often the counters were asked, and how often in vain. */
  readonly asked: { count: number; inVain: number }
}

function opened(change: (counters: Counters) => Partial<Counters> = () => ({})): Opened {
  const clock = { ms: START, elapsedMs: 0 }
  const clocks = { now: () => clock.ms, elapsed: () => clock.elapsedMs }
  const counters = embeddedCounters(clocks)
  const asked = { count: 0, inVain: 0 }
  const changed = { ...counters, ...change(counters) }
  const counted = <T extends unknown[], R>(method: (...args: T) => R) => {
    return (...args: T): R => {
      asked.count++
      return method(...args)
    }
  }
  const open = (worker: number): Limits =>
    openLimits({
      counters: {
        lease: counted(changed.lease),
        giveBack: changed.giveBack,
        admitIdentity: counted(changed.admitIdentity),
        holdStreams: counted(worker === 1 ? changed.holdStreams : counters.holdStreamsOf(worker)),
      },
      ...clocks,
      onQuotaReached: () => undefined,
      onUnavailable() {
        asked.inVain++
      },
      waitMs: 20,
    })
  return { limits: open(1), other: open(2), counters, clock, asked }
}

function pass({ clock }: Opened, ms: number): void {
  clock.ms += ms
  clock.elapsedMs += ms
}

async function monthLeft({ counters }: Opened): Promise<number> {
  return (await counters.lease(1, allowed, { requests: 0, lookups: 0 })).quotaLeft
}

/** The outcome of a call that may throw a Problem. */
async function outcome(work: () => unknown): Promise<string> {
  try {
    await work()
    return "in"
  } catch (error) {
    assert.ok(error instanceof Problem)
    return error.code
  }
}

async function refusal(work: () => unknown): Promise<Problem> {
  try {
    await work()
  } catch (error) {
    assert.ok(error instanceof Problem)
    return error
  }
  assert.fail("nothing was refused")
}

async function outcomes(count: number, work: (n: number) => unknown): Promise<string[]> {
  return await Promise.all(Array.from({ length: count }, (_, n) => outcome(() => work(n))))
}

const number = (all: readonly string[], one: string): number =>
  all.filter((each) => each === one).length

test("a second lets its requests in and no more, over two workers", async () => {
  const at = opened()
  const here = await outcomes(20, () => at.limits.pace(caller))
  const there = await outcomes(20, () => at.other.pace(caller))
  assert.equal(number([...here, ...there], "in"), requestsPerSecond)
  assert.equal(number([...here, ...there], "rate-limited"), 40 - requestsPerSecond)
  pass(at, 1001)
  assert.equal(await outcome(() => at.limits.pace(caller)), "in")
  assert.equal(await monthLeft(at), lookupsPerMonth, "a request is no lookup")
})

test("where a second is divided into more leases, each of many workers gets one, and all no more than the rate", async () => {
  const counters = embeddedCounters({ now: () => START, elapsed: () => 0 })
  const workers = Array.from({ length: requestsPerSecond }, (_, n) =>
    openLimits({
      counters: { ...counters, holdStreams: counters.holdStreamsOf(n) },
      now: () => START,
      elapsed: () => 0,
      onQuotaReached: () => undefined,
      onUnavailable: () => undefined,
      leasesASecond: requestsPerSecond,
    }),
  )
  for (const expected of ["in", "rate-limited"])
    for (const worker of workers) assert.equal(await outcome(() => worker.pace(caller)), expected)
})

test("a month that the counters name otherwise than the worker is taken as they name it, once", async () => {
  let asked = 0
  const at = opened((counters) => ({
    async lease(tenantId, limits, wanted) {
      asked++
      return { ...(await counters.lease(tenantId, limits, wanted)), month: "2026-12" }
    },
  }))
  await at.limits.pace(caller)
  assert.equal(await outcome(() => at.limits.admit(caller, tag())), "in")
  assert.equal(asked, 2)
})

test("a request in hand is let in without a promise", async () => {
  const at = opened()
  await at.limits.pace(caller)
  assert.equal(at.limits.pace(caller), undefined)
  await at.limits.admit(caller, tag())
  assert.equal(typeof at.limits.admit(caller, tag()), "function")
})

test("a month that is used up leaves the rate as it is: no more writes get through than it allows", async () => {
  const at = opened()
  at.counters.restore("2026-11", new Map([[1, lookupsPerMonth]]), "2026-11-14", [])
  const writes = await outcomes(600, () => at.limits.pace(caller))
  assert.equal(number(writes, "in"), requestsPerSecond)
  assert.equal(number(writes, "rate-limited"), 600 - requestsPerSecond)
  assert.equal(await outcome(() => at.limits.admit(caller, tag())), "quota-exceeded")
})

test("lookups are counted as they are taken, and not past the month", async () => {
  const at = opened()
  at.counters.restore("2026-11", new Map([[1, lookupsPerMonth - 50]]), "2026-11-14", [])
  const looked = await outcomes(70, (n) => at.limits.admit(caller, tag(n % 3)))
  assert.equal(number(looked, "in"), 50)
  assert.equal(number(looked, "quota-exceeded"), 20)
  assert.equal(await monthLeft(at), 0)
})

test("a month that is used up is remembered, and asked for once a second", async () => {
  const at = opened()
  at.counters.restore("2026-11", new Map([[1, lookupsPerMonth]]), "2026-11-14", [])
  await outcomes(500, () => at.limits.admit(caller, tag()))
  assert.equal(at.asked.count, 1)
  await at.counters.giveBack(1, "2026-11", 1)
  assert.equal(await outcome(() => at.limits.admit(caller, tag())), "quota-exceeded")
  pass(at, 1000)
  assert.equal(await outcome(() => at.limits.admit(caller, tag())), "in")
})

test("lookups nobody used go back to the month, and none that was used", async () => {
  const at = opened()
  await at.limits.admit(caller, tag())
  await at.limits.settle()
  assert.ok((await monthLeft(at)) < lookupsPerMonth - 1, "they are kept for the next ones")
  pass(at, 1001)
  await at.limits.settle()
  await at.limits.settle()
  assert.equal(await monthLeft(at), lookupsPerMonth - 1)
})

test("a worker that leaves gives back all it holds", async () => {
  const at = opened()
  await at.limits.admit(caller, tag())
  await at.limits.settle("leaving")
  assert.equal(await monthLeft(at), lookupsPerMonth - 1)
})

test("a lookup that is refunded costs the month nothing", async () => {
  const at = opened()
  const refund = await at.limits.admit(caller, tag())
  refund()
  await at.limits.settle("leaving")
  assert.equal(await monthLeft(at), lookupsPerMonth)
})

test("what could not be given back is given back later, once", async () => {
  let away = true
  const at = opened((real) => ({
    giveBack: async (...args) =>
      away ? Promise.reject(new Error("away")) : real.giveBack(...args),
  }))
  await at.limits.admit(caller, tag())
  pass(at, 1001)
  await assert.rejects(at.limits.settle())
  assert.ok((await monthLeft(at)) < lookupsPerMonth - 1)
  away = false
  await at.limits.settle()
  await at.limits.settle()
  assert.equal(await monthLeft(at), lookupsPerMonth - 1)
})

test("a full day refuses others without asking, and knows those who are in it, also from another worker", async () => {
  const at = opened()
  const seen = await outcomes(identitiesPerDay, (n) => at.limits.admit(caller, tag(n)))
  assert.equal(number(seen, "in"), identitiesPerDay)
  assert.equal(await outcome(() => at.other.admit(caller, tag(5000))), "identities-exceeded")
  const before = at.asked.count
  const refused = await outcomes(1000, (n) => at.other.admit(caller, tag(1000 + n)))
  assert.equal(number(refused, "identities-exceeded"), 1000)
  assert.equal(await outcome(() => at.other.admit(caller, tag(7))), "in")
  assert.equal(at.asked.count, before, "nothing was asked")
  await at.limits.settle("leaving")
  await at.other.settle("leaving")
  assert.equal(await monthLeft(at), lookupsPerMonth - identitiesPerDay - 1)
  pass(at, DAY_MS)
  assert.equal(await outcome(() => at.other.admit(caller, tag(1000))), "in")
})

test("a plan that allows more is asked for again, though the old one was used up", async () => {
  const at = opened()
  at.counters.restore("2026-11", new Map([[1, lookupsPerMonth]]), "2026-11-14", [])
  assert.equal(await outcome(() => at.limits.admit(caller, tag())), "quota-exceeded")
  const limits = { ...plans.free.limits, lookupsPerMonth: 2000, identitiesPerDay: 2 }
  const larger = { ...caller, plan: { ...plans.free, limits } }
  for (const [n, expected] of [
    [1, "in"],
    [2, "in"],
    [3, "identities-exceeded"],
  ] as const)
    assert.equal(await outcome(() => at.limits.admit(larger, tag(n))), expected)
  const largest = {
    ...larger,
    plan: { ...plans.free, limits: { ...limits, identitiesPerDay: 3 } },
  }
  assert.equal(await outcome(() => at.limits.admit(largest, tag(3))), "in")
})

test("counters that fail refuse what they should count, with 503 and Retry-After", async () => {
  const away = async (): Promise<never> => Promise.reject(new Error("away"))
  const at = opened(() => ({ lease: away, admitIdentity: away, holdStreams: away }))
  const problem = await refusal(() => at.limits.pace(caller))
  assert.equal(problem.code, "limits-unavailable")
  assert.equal(problem.headers["retry-after"], "1")
  for (const work of [() => at.limits.admit(caller, tag()), () => at.limits.openStream(caller)])
    assert.equal(await outcome(work), "limits-unavailable")
  assert.equal(at.asked.inVain, 3)
})

test("an identity that could not be asked about costs the month nothing", async () => {
  let away = true
  const at = opened((real) => ({
    admitIdentity: async (...args) =>
      away ? Promise.reject(new Error("away")) : real.admitIdentity(...args),
  }))
  assert.equal(await outcome(() => at.limits.admit(caller, tag())), "limits-unavailable")
  away = false
  assert.equal(await outcome(() => at.limits.admit(caller, tag())), "in")
  await at.limits.settle("leaving")
  assert.equal(await monthLeft(at), lookupsPerMonth - 1)
})

test("counters that do not answer are asked once, and what they grant late is not lost", async () => {
  const late = Promise.withResolvers<true>()
  const at = opened((real) => ({
    async lease(...args) {
      await late.promise
      return await real.lease(...args)
    },
  }))
  const waiting = outcome(() => at.limits.admit(caller, tag()))
  assert.equal(await waiting, "limits-unavailable")
  at.clock.elapsedMs += 20
  const refused = await outcomes(200, (n) => at.limits.admit(caller, tag(n)))
  assert.equal(number(refused, "limits-unavailable"), 200)
  assert.equal(at.asked.count, 1)
  late.resolve(true)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(await outcome(() => at.limits.admit(caller, tag())), "in")
  await at.limits.settle("leaving")
  assert.equal(await monthLeft(at), lookupsPerMonth - 1)
})

test("a plan without limits asks no counters and gets no limit headers", async () => {
  const away = async (): Promise<never> => Promise.reject(new Error("away"))
  const at = opened(() => ({ lease: away, admitIdentity: away, holdStreams: away }))
  for (let n = 0; n < 50; n++) {
    assert.equal(at.limits.pace(unlimited), undefined)
    assert.equal(typeof at.limits.admit(unlimited, tag(n)), "function")
    assert.equal(at.limits.chargeRefused(unlimited, 1000), 0)
    await at.limits.openStream(unlimited)
  }
  assert.deepEqual(at.limits.fields(unlimited), {})
  assert.deepEqual(at.asked, { count: 0, inVain: 0 })
})

test("refused lines count toward the rate, ten as one request, and what the second does not cover is waited for", async () => {
  const at = opened()
  assert.equal(await at.limits.chargeRefused(caller, LINES_A_REQUEST * (requestsPerSecond - 1)), 0)
  assert.equal(await outcome(() => at.limits.pace(caller)), "in")
  assert.equal(await outcome(() => at.limits.pace(caller)), "rate-limited")
  const waitMs = await at.limits.chargeRefused(caller, LINES_A_REQUEST * requestsPerSecond)
  assert.ok(waitMs > 0 && waitMs <= 1000, `${waitMs} ms`)
  pass(at, 1001)
  // The whole second pays off requests owed from before.
  assert.equal(await at.limits.chargeRefused(caller, 0), 0)
  assert.equal(await outcome(() => at.limits.pace(caller)), "rate-limited")
  pass(at, 1001)
  assert.equal(await outcome(() => at.limits.pace(caller)), "in")
  assert.equal(await monthLeft(at), lookupsPerMonth)
})

test("a tenant has as many streams at once as its plan allows, over two workers", async () => {
  const at = opened()
  const first = await at.limits.openStream(caller)
  const second = await at.other.openStream(caller)
  assert.equal(await outcome(() => at.limits.openStream(caller)), "streams-exceeded")
  assert.equal(await outcome(() => at.other.openStream(caller)), "streams-exceeded")
  assert.equal(await outcome(() => at.limits.openStream({ ...caller, tenantId: 2 })), "in")
  second()
  first()
  const open = await outcomes(5, () => at.limits.openStream(caller))
  assert.equal(number(open, "in"), 2)
})

test("the end of a stream that could not be reported is reported with the next settling", async () => {
  let away = false
  const at = opened((real) => ({
    holdStreams: async (...args) =>
      away ? Promise.reject(new Error("away")) : real.holdStreams(...args),
  }))
  const leave = [await at.limits.openStream(caller), await at.limits.openStream(caller)]
  away = true
  for (const each of leave) each()
  away = false
  assert.equal(await outcome(() => at.other.openStream(caller)), "streams-exceeded")
  await at.limits.settle()
  assert.equal(await outcome(() => at.other.openStream(caller)), "in")
})

test("a clock that is set back or forward locks nobody out, and Retry-After never goes beyond its window", async () => {
  for (const days of [-400, -40, -1, 1, 40]) {
    const at = opened()
    await outcomes(requestsPerSecond, () => at.limits.pace(caller))
    await outcomes(identitiesPerDay, (n) => at.limits.admit(caller, tag(n)))
    at.clock.ms += days * DAY_MS
    const rate = await refusal(() => at.limits.pace(caller))
    assert.deepEqual([rate.code, rate.headers["retry-after"]], ["rate-limited", "1"])
    // Another day: its identities are its own.
    assert.equal(await outcome(() => at.limits.admit(caller, tag(1000))), "in")
    at.clock.elapsedMs += 1001
    assert.equal(await outcome(() => at.limits.pace(caller)), "in")
    for (let n = 0; n < identitiesPerDay; n++) await outcome(() => at.limits.admit(caller, tag(n)))
    const full = await refusal(() => at.limits.admit(caller, tag(2000)))
    assert.equal(full.code, "identities-exceeded")
    assert.ok(Number(full.headers["retry-after"]) <= 86_400)
  }
})

test("Retry-After of a month that is used up counts to the next month by the clock as it is", async () => {
  const at = opened()
  at.counters.restore("2026-11", new Map([[1, lookupsPerMonth]]), "2026-11-14", [])
  at.counters.restore("2026-10", new Map([[1, lookupsPerMonth]]), "2026-10-05", [])
  for (const days of [0, -40]) {
    at.clock.ms = START + days * DAY_MS
    const spent = await refusal(() => at.limits.admit(caller, tag()))
    assert.equal(spent.code, "quota-exceeded")
    assert.ok(Number(spent.headers["retry-after"]) <= 31 * 86_400)
  }
})
