import assert from "node:assert/strict"
import { test } from "node:test"
import { openLog } from "../log.ts"
import type { Counters } from "../stores/counters.ts"
import { embeddedCounters } from "../stores/embedded/counters.ts"
import type { Caller } from "./callers.ts"
import { type Limits, openLimits } from "./limits.ts"
import { plans } from "./plans.ts"
import { DEFAULT_SCORING } from "./tenant-settings.ts"

const caller: Caller = {
  keyId: "k",
  tenantId: 1,
  plan: plans.free,
  scopes: new Set(),
  ...DEFAULT_SCORING,
}
const tag = (): Uint8Array => new Uint8Array(8)

function opened(change: (counters: Counters) => Counters = (counters) => counters): {
  limits: Limits
  counters: Counters
  clock: { ms: number }
} {
  const clock = { ms: Date.UTC(2026, 10, 14, 12) }
  const counters = embeddedCounters(() => clock.ms)
  const log = openLog("error", { write: () => undefined })
  const limits = openLimits({
    counters: change(counters),
    now: () => clock.ms,
    log,
    onFailOpen: () => undefined,
  })
  return { limits, counters, clock }
}

async function monthLeft(counters: Counters): Promise<number> {
  const { quotaLeft } = await counters.lease(1, { perSecond: 10, perMonth: 1000 }, 0)
  return quotaLeft
}

test("what a lease did not use goes back to the month when its second is over", async () => {
  const { limits, counters, clock } = opened()
  await limits.admit(caller, tag)
  assert.equal(await monthLeft(counters), 995)
  await limits.settle()
  assert.equal(await monthLeft(counters), 995)
  clock.ms += 1001
  await limits.settle()
  assert.equal(await monthLeft(counters), 999)
})

test("a worker that leaves gives back all it holds", async () => {
  const { limits, counters } = opened()
  await limits.admit(caller, tag)
  await limits.settle("leaving")
  assert.equal(await monthLeft(counters), 999)
})

test("a request that is refunded costs the month nothing", async () => {
  const { limits, counters } = opened()
  const { refund } = await limits.admit(caller, tag)
  refund()
  await limits.settle("leaving")
  assert.equal(await monthLeft(counters), 1000)
})

test("what could not be given back is given back later, once", async () => {
  let away = true
  const { limits, counters, clock } = opened((real) => ({
    ...real,
    giveBack: async (...args) =>
      away ? Promise.reject(new Error("away")) : real.giveBack(...args),
  }))
  await limits.admit(caller, tag)
  clock.ms += 1001
  await assert.rejects(limits.settle())
  assert.equal(await monthLeft(counters), 995)
  away = false
  await limits.settle()
  await limits.settle()
  assert.equal(await monthLeft(counters), 999)
})

test("a request that looks nobody up takes of the rate and costs the month nothing", async () => {
  const { limits, counters, clock } = opened()
  const headers = await limits.pace(caller)
  assert.match(headers["ratelimit"] ?? "", /"second"/)
  for (let n = 1; n < 10; n++) await limits.pace(caller)
  const tooMany = { code: "rate-limited" }
  await assert.rejects(limits.pace(caller), tooMany)
  await assert.rejects(limits.admit(caller, tag), tooMany)
  clock.ms += 1001
  await limits.settle()
  assert.equal(await monthLeft(counters), 1000)
  await limits.pace(caller)
})

test("a month that is used up ends lookups, not what a tenant has to say", async () => {
  const { limits, counters, clock } = opened()
  for (let left = 1000; left > 0; left -= 10) {
    await counters.lease(1, { perSecond: 10, perMonth: 1000 }, 10)
    clock.ms += 1001
  }
  await assert.rejects(limits.admit(caller, tag), { code: "quota-exceeded" })
  await limits.pace(caller)
})

test("a plan without limits is not paced", async () => {
  const { limits } = opened()
  const free = { ...caller, plan: plans.enterprise }
  for (let n = 0; n < 50; n++) assert.deepEqual(await limits.pace(free), {})
})
