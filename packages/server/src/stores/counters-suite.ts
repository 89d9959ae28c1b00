import assert from "node:assert/strict"
import { test } from "node:test"
import { login, signup } from "./context-events-suite.ts"
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

  const at = START / 1000
  const hour = 3600

  test(`${engine}: sign-ups are counted by device, network, cluster and mailbox, this one included`, async () => {
    const { counters } = await opened()
    const one = { mailbox: "m1", device: "d1", network: "n1", cluster: "c1", atSeconds: at }
    assert.deepEqual(await counters.velocity(signup(one)), {
      device: 1,
      network: 1,
      cluster: 1,
      mailbox: 1,
      firstSignupSeconds: at,
      dropped: 0,
    })
    const two = { ...one, mailbox: "m2", device: "d2", atSeconds: at + 60 }
    const { device, network, cluster, mailbox } = await counters.velocity(signup(two))
    assert.deepEqual([device, network, cluster, mailbox], [1, 2, 2, 1])
  })

  test(`${engine}: what an event does not name is not counted, which is not zero`, async () => {
    const { counters } = await opened()
    const counts = await counters.velocity(signup({ mailbox: "m1", atSeconds: at }))
    assert.deepEqual(
      [counts.device, counts.network, counts.cluster, counts.mailbox],
      [null, null, null, 1],
    )
  })

  test(`${engine}: the same mailbox again counts once; its accounts count apart`, async () => {
    const { counters } = await opened()
    const told = { mailbox: "m1", device: "d1", account: "a1", atSeconds: at }
    for (let n = 0; n < 5; n++) await counters.velocity(signup({ ...told, atSeconds: at + n }))
    assert.equal((await counters.velocity(login(told))).device, 1)
    assert.equal((await counters.velocity(login(told))).mailbox, 1)
    const counts = await counters.velocity(signup({ ...told, account: "a2" }))
    assert.deepEqual([counts.device, counts.mailbox], [1, 2])
  })

  test(`${engine}: an event that is no sign-up is compared and leaves nothing`, async () => {
    const { counters } = await opened()
    const told = { mailbox: "m1", device: "d1", atSeconds: at }
    assert.equal((await counters.velocity(login(told))).device, 0)
    await counters.velocity(signup({ ...told, mailbox: "m2" }))
    for (let n = 0; n < 2; n++) assert.equal((await counters.velocity(login(told))).device, 1)
  })

  test(`${engine}: a window has 24 hours to the second, by the time of the events, also over midnight`, async () => {
    const { counters, clock } = await opened()
    const of = (mailbox: string, seconds: number) =>
      ({ mailbox, device: "d1", atSeconds: seconds }) as const
    await counters.velocity(signup(of("m1", at)))
    await counters.velocity(signup(of("m2", at + hour)))
    clock.ms += 24 * hour * 1000
    const next = at + 24 * hour
    assert.equal((await counters.velocity(login(of("m3", next - 1)))).device, 2)
    assert.equal((await counters.velocity(login(of("m3", next)))).device, 1)
    assert.equal((await counters.velocity(login(of("m3", next + hour - 1)))).device, 1)
    assert.equal((await counters.velocity(login(of("m3", next + hour)))).device, 0)
    assert.equal((await counters.velocity(login(of("m3", at - 1)))).device, 0)
  })

  test(`${engine}: a mailbox that signs up before and after midnight counts once`, async () => {
    const { counters, clock } = await opened()
    const told = { mailbox: "m1", device: "d1", account: "a1" }
    await counters.velocity(signup({ ...told, atSeconds: at + 11 * hour }))
    clock.ms += 14 * hour * 1000
    const counts = await counters.velocity(signup({ ...told, atSeconds: at + 14 * hour }))
    assert.deepEqual([counts.device, counts.mailbox], [1, 1])
    assert.equal(counts.firstSignupSeconds, at + 11 * hour)
    clock.ms += 10 * hour * 1000
    const later = await counters.velocity(
      signup({ ...told, mailbox: "m2", atSeconds: at + 37 * hour }),
    )
    assert.equal(later.device, 2)
  })

  test(`${engine}: the first sign-up is the account's where it is known, else the mailbox's, never a later one`, async () => {
    const { counters } = await opened()
    await counters.velocity(signup({ mailbox: "m1", account: "a1", atSeconds: at }))
    await counters.velocity(signup({ mailbox: "m1", account: "a2", atSeconds: at + 50 }))
    const first = async (told: { mailbox: string; account?: string }, seconds: number) =>
      (await counters.velocity(login({ ...told, atSeconds: seconds }))).firstSignupSeconds
    assert.equal(await first({ mailbox: "m1" }, at + 60), at)
    assert.equal(await first({ mailbox: "m1", account: "a2" }, at + 60), at + 50)
    assert.equal(await first({ mailbox: "m9", account: "a2" }, at + 60), at + 50)
    assert.equal(await first({ mailbox: "m1", account: "a9" }, at + 60), at)
    assert.equal(await first({ mailbox: "m9" }, at + 60), null)
    assert.equal(await first({ mailbox: "m1" }, at - 1), null)
  })

  test(`${engine}: one tenant's sign-ups leave another's counts alone, also under equal names`, async () => {
    const { counters } = await opened()
    const told = { mailbox: "m1", device: "d1", cluster: "c1", atSeconds: at }
    for (const mailbox of ["m1", "m2", "m3"]) await counters.velocity(signup({ ...told, mailbox }))
    const counts = await counters.velocity(login({ ...told, tenantId: 2 }))
    assert.deepEqual([counts.device, counts.cluster, counts.mailbox], [0, 0, 0])
    assert.equal(counts.firstSignupSeconds, null)
  })

  test(`${engine}: a sign-up of more than 48 hours ago is not recorded`, async () => {
    const { counters } = await opened()
    const old = { mailbox: "m1", device: "d1", atSeconds: at - 48 * hour - 1 }
    assert.equal((await counters.velocity(signup(old))).device, 0)
  })
}
