import assert from "node:assert/strict"
import { test } from "node:test"
import type { Counters } from "./counters.ts"

const limits = { perSecond: 10, perMonth: 25 }
const START = Date.UTC(2026, 10, 14, 12)

/** What this suite does not state, no caller may rely on. */
export function countersSuite(
  engine: string,
  open: (now: () => number) => Promise<Counters>,
): void {
  async function opened(): Promise<{ counters: Counters; clock: { ms: number } }> {
    const clock = { ms: START }
    return { counters: await open(() => clock.ms), clock }
  }

  test(`${engine}: a second grants its limit and no more, and the next one starts afresh`, async () => {
    const { counters, clock } = await opened()
    const granted = []
    for (let n = 0; n < 4; n++) granted.push((await counters.lease(1, limits, 4)).granted)
    assert.deepEqual(granted, [4, 4, 2, 0])
    const refusal = await counters.lease(1, limits, 4)
    assert.equal(refusal.refused, "rate")
    assert.ok(refusal.windowEndsInMs > 0 && refusal.windowEndsInMs <= 1000)
    clock.ms += 1001
    assert.equal((await counters.lease(1, limits, 4)).granted, 4)
  })

  test(`${engine}: over any ten seconds no more than eleven windows are granted`, async () => {
    const { counters, clock } = await opened()
    let granted = 0
    for (; clock.ms < START + 10_000; clock.ms += 50) {
      granted += (await counters.lease(1, { perSecond: 10, perMonth: 10_000 }, 5)).granted
    }
    assert.ok(granted <= 110, `${granted} granted`)
    assert.ok(granted >= 90, `${granted} granted`)
  })

  test(`${engine}: a month's quota ends, and comes back with the next month`, async () => {
    const { counters, clock } = await opened()
    let granted = 0
    for (let n = 0; n < 6; n++, clock.ms += 1001)
      granted += (await counters.lease(1, limits, 5)).granted
    assert.equal(granted, 25)
    assert.equal((await counters.lease(1, limits, 5)).refused, "quota")
    clock.ms = Date.UTC(2026, 11, 1)
    assert.equal((await counters.lease(1, limits, 5)).granted, 5)
  })

  test(`${engine}: unused requests go back to the month, never below zero`, async () => {
    const { counters, clock } = await opened()
    await counters.lease(1, limits, 10)
    await counters.giveBack(1, 4)
    clock.ms += 1001
    assert.equal((await counters.lease(1, limits, 1)).quotaLeft, 25 - 6 - 1)
    await counters.giveBack(1, 1000)
    clock.ms += 1001
    assert.equal((await counters.lease(1, limits, 1)).quotaLeft, 24)
  })

  test(`${engine}: lookups are taken from the month alone, as far as it reaches`, async () => {
    const { counters, clock } = await opened()
    await counters.lease(1, limits, 10)
    assert.deepEqual(await counters.leaseLookups(1, 25, 9), { granted: 9, quotaLeft: 6 })
    clock.ms += 1001
    const { granted, rateLeft, quotaLeft } = await counters.lease(1, limits, 1)
    assert.deepEqual([granted, rateLeft, quotaLeft], [1, 9, 5])
    assert.deepEqual(await counters.leaseLookups(1, 25, 9), { granted: 5, quotaLeft: 0 })
    assert.deepEqual(await counters.leaseLookups(1, 25, 1), { granted: 0, quotaLeft: 0 })
    assert.deepEqual(await counters.leaseLookups(2, 25, 1), { granted: 1, quotaLeft: 24 })
    await counters.giveBack(1, 2)
    assert.deepEqual(await counters.leaseLookups(1, 25, 9), { granted: 2, quotaLeft: 0 })
    clock.ms = Date.UTC(2026, 11, 1)
    assert.deepEqual(await counters.leaseLookups(1, 25, 9), { granted: 9, quotaLeft: 16 })
  })

  test(`${engine}: one tenant's use leaves another's alone`, async () => {
    const { counters } = await opened()
    await counters.lease(1, limits, 10)
    assert.equal((await counters.lease(2, limits, 10)).granted, 10)
  })

  test(`${engine}: a day admits so many identities, those again, and others tomorrow`, async () => {
    const { counters, clock } = await opened()
    const tag = (n: number): Uint8Array => new Uint8Array(8).fill(n)
    assert.equal(await counters.admitIdentity(1, tag(1), 2), true)
    assert.equal(await counters.admitIdentity(1, tag(2), 2), true)
    assert.equal(await counters.admitIdentity(1, tag(3), 2), false)
    assert.equal(await counters.admitIdentity(1, tag(1), 2), true)
    assert.equal(await counters.admitIdentity(2, tag(3), 2), true)
    clock.ms += 86_400_000
    assert.equal(await counters.admitIdentity(1, tag(3), 2), true)
  })
}
