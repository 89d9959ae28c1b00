import assert from "node:assert/strict"
import { test } from "node:test"
import { openLog } from "../log.ts"
import { Problem } from "../problem.ts"
import type { Counters } from "../stores/counters.ts"
import { embeddedCounters } from "../stores/embedded/counters.ts"
import type { Caller } from "./callers.ts"
import { type Limits, openLimits } from "./limits.ts"
import type { ManyAdmission } from "./many-lookups.ts"
import { type Plan, plans } from "./plans.ts"
import { DEFAULT_SCORING } from "./tenant-settings.ts"

const PER_MONTH = 50
const plan: Plan = {
  ...plans.free,
  limits: { requestsPerSecond: 4, lookupsPerMonth: PER_MONTH, identitiesPerDay: 30 },
}
const caller: Caller = { keyId: "k", tenantId: 1, plan, scopes: new Set(), ...DEFAULT_SCORING }

interface Opened {
  readonly limits: Limits
  readonly counters: Counters
  readonly clock: { ms: number }
  readonly failedOpen: { count: number }
}

function opened(change: (counters: Counters) => Counters = (counters) => counters): Opened {
  const clock = { ms: Date.UTC(2026, 10, 14, 12) }
  const counters = embeddedCounters(() => clock.ms)
  const failedOpen = { count: 0 }
  const limits = openLimits({
    counters: change(counters),
    now: () => clock.ms,
    log: openLog("error", { write: () => undefined }),
    onFailOpen() {
      failedOpen.count++
    },
  })
  return { limits, counters, clock, failedOpen }
}

async function monthLeft({ limits, counters }: Opened): Promise<number> {
  await limits.settle("leaving")
  return (await counters.leaseLookups(1, PER_MONTH, 0)).quotaLeft
}

/** Asks for lookups of identities `from` to `to` at once and says how each went. */
async function looked(many: ManyAdmission, from: number, to: number): Promise<string[]> {
  const asked = Array.from({ length: to - from }, async (_, n) => {
    try {
      await many.admitLookup(() => new Uint8Array(8).fill(from + n))
      return "in"
    } catch (error) {
      assert.ok(error instanceof Problem)
      return error.code
    }
  })
  return await Promise.all(asked)
}

const count = (outcomes: readonly string[], outcome: string): number =>
  outcomes.filter((each) => each === outcome).length

test("many lookups are one request of the rate and as many of the month as were let in", async () => {
  const at = opened()
  for (let n = 0; n < 4; n++) {
    const many = await at.limits.admitMany(caller)
    assert.deepEqual(await looked(many, 0, 5), Array(5).fill("in"))
    many.close()
  }
  await assert.rejects(at.limits.admitMany(caller), { code: "rate-limited" })
  assert.equal(await monthLeft(at), PER_MONTH - 20)
})

test("a month that ends midway refuses the rest one by one, and the next request as a whole", async () => {
  const at = opened()
  const many = await at.limits.admitMany({
    ...caller,
    plan: { ...plan, limits: { ...plans.free.limits, lookupsPerMonth: PER_MONTH } },
  })
  const outcomes = await looked(many, 0, 70)
  assert.equal(count(outcomes, "quota-exceeded"), 70 - count(outcomes, "in"))
  assert.equal(count(outcomes, "in"), PER_MONTH)
  many.close()
  assert.equal(await monthLeft(at), 0)
  await assert.rejects(at.limits.admitMany(caller), { code: "quota-exceeded" })
})

test("an identity past the day's number costs the month nothing", async () => {
  const at = opened()
  const many = await at.limits.admitMany(caller)
  const outcomes = await looked(many, 0, 40)
  assert.equal(count(outcomes, "in"), 30)
  assert.equal(count(outcomes, "identities-exceeded"), 10)
  many.close()
  assert.equal(await monthLeft(at), PER_MONTH - 30)
})

test("lookups that failed and requests that failed as a whole are given back", async () => {
  const at = opened()
  const many = await at.limits.admitMany(caller)
  await looked(many, 0, 10)
  for (let n = 0; n < 4; n++) many.refundLookup()
  many.close()
  assert.equal(await monthLeft(at), PER_MONTH - 6)
  for (let n = 0; n < 10; n++) (await at.limits.admitMany(caller)).close("failed")
  assert.equal(await monthLeft(at), PER_MONTH - 6)
})

test("counters that fail let lookups through, are left alone for a while, and get back no more than they gave", async () => {
  let asked = 0
  const at = opened((real) => ({
    ...real,
    async leaseLookups() {
      asked++
      return await Promise.reject(new Error("away"))
    },
  }))
  const many = await at.limits.admitMany(caller)
  for (let n = 0; n < 21; n++) assert.deepEqual(await looked(many, n, n + 1), ["in"])
  assert.equal(asked, 1)
  assert.equal(at.failedOpen.count, 1)
  for (let n = 0; n < 21; n++) many.refundLookup()
  many.close()
  assert.equal(await monthLeft(at), PER_MONTH)
})

test("nothing is asked for a tenant without limits", async () => {
  const away = async (): Promise<never> => Promise.reject(new Error("away"))
  const at = opened((real) => ({ ...real, lease: away, leaseLookups: away, admitIdentity: away }))
  const many = await at.limits.admitMany({ ...caller, plan: plans.enterprise })
  assert.equal(
    many.admitLookup(() => new Uint8Array(8)),
    undefined,
  )
  assert.deepEqual(many.headers, {})
  assert.equal(at.failedOpen.count, 0)
})
