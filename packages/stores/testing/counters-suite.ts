import assert from "node:assert/strict"
import { test } from "node:test"
import { login, signup } from "./context-events-suite.ts"
import type { Counters, IdentityAdmission, Wanted } from "../src/counters.ts"

const limits = { perSecond: 10, perMonth: 25 }
const START = Date.UTC(2026, 10, 14, 12)

/**
 * Time as the counters see it: the clock on the wall, which can be set, and the time that passes.
 */
interface Clock {
  ms: number
  elapsedMs: number
}

/** What this suite does not state, no caller may rely on. */
export function countersSuite(
  engine: string,
  open: (clocks: { now: () => number; elapsed: () => number }) => Promise<Counters>,
): void {
  async function opened(): Promise<{ counters: Counters; clock: Clock }> {
    const clock = { ms: START, elapsedMs: 0 }
    return {
      counters: await open({ now: () => clock.ms, elapsed: () => clock.elapsedMs }),
      clock,
    }
  }
  const pass = (clock: Clock, ms: number): void => {
    clock.ms += ms
    clock.elapsedMs += ms
  }
  const requests = (count: number): Wanted => ({ requests: count, lookups: 0 })
  const lookups = (count: number): Wanted => ({ requests: 0, lookups: count })
  const tag = (n: number): Uint8Array => new Uint8Array(8).fill(n)
  /** Who is in a full day, in no order that anybody may rely on. */
  const inFull = (admission: IdentityAdmission): unknown =>
    admission === true ? true : admission.map((each) => [...each].join()).sort()
  const all = (...tags: number[]): unknown => inFull(tags.map(tag))

  test(`${engine}: a second grants its limit and no more, and the next one starts afresh`, async () => {
    const { counters, clock } = await opened()
    const granted = []
    for (let n = 0; n < 4; n++)
      granted.push((await counters.lease(1, limits, requests(4))).requests)
    assert.deepEqual(granted, [4, 4, 2, 0])
    const refusal = await counters.lease(1, limits, requests(4))
    assert.deepEqual([refusal.requests, refusal.rateLeft], [0, 0])
    assert.ok(refusal.windowEndsInMs > 0 && refusal.windowEndsInMs <= 1000)
    pass(clock, 1001)
    assert.equal((await counters.lease(1, limits, requests(4))).requests, 4)
  })

  test(`${engine}: over any ten seconds no more than eleven windows are granted`, async () => {
    const { counters, clock } = await opened()
    let granted = 0
    while (clock.elapsedMs < 10_000) {
      granted += (await counters.lease(1, limits, requests(5))).requests
      pass(clock, 50)
    }
    assert.ok(granted <= 110, `${granted} granted`)
    assert.ok(granted >= 90, `${granted} granted`)
  })

  test(`${engine}: a clock that is set back or forward ends no window and lengthens none`, async () => {
    const { counters, clock } = await opened()
    await counters.lease(1, limits, requests(10))
    for (const days of [-40, 80, -40]) {
      clock.ms += days * 86_400_000
      const { requests: granted, windowEndsInMs } = await counters.lease(1, limits, requests(1))
      assert.equal(granted, 0)
      assert.ok(windowEndsInMs > 0 && windowEndsInMs <= 1000, `${windowEndsInMs} ms`)
    }
    clock.ms -= 40 * 86_400_000
    clock.elapsedMs += 1001
    assert.equal((await counters.lease(1, limits, requests(1))).requests, 1)
  })

  test(`${engine}: rate and month are counted apart, and both are told`, async () => {
    const { counters, clock } = await opened()
    const first = await counters.lease(1, limits, { requests: 4, lookups: 20 })
    assert.deepEqual(
      [first.requests, first.lookups, first.rateLeft, first.quotaLeft, first.month],
      [4, 20, 6, 5, "2026-11"],
    )
    const second = await counters.lease(1, limits, { requests: 8, lookups: 20 })
    assert.deepEqual(
      [second.requests, second.lookups, second.rateLeft, second.quotaLeft],
      [6, 5, 0, 0],
    )
    // A month that is used up leaves the rate, and the other way round.
    pass(clock, 1001)
    const third = await counters.lease(1, limits, { requests: 1, lookups: 1 })
    assert.deepEqual([third.requests, third.lookups, third.quotaLeft], [1, 0, 0])
  })

  test(`${engine}: who asks for no requests begins no window`, async () => {
    const { counters, clock } = await opened()
    assert.equal((await counters.lease(1, limits, lookups(1))).windowEndsInMs, 0)
    pass(clock, 900)
    await counters.lease(1, limits, requests(10))
    pass(clock, 200)
    assert.equal((await counters.lease(1, limits, requests(1))).requests, 0)
  })

  test(`${engine}: a month's lookups end, and come back with the next month`, async () => {
    const { counters, clock } = await opened()
    const granted = []
    for (let n = 0; n < 4; n++) granted.push((await counters.lease(1, limits, lookups(10))).lookups)
    assert.deepEqual(granted, [10, 10, 5, 0])
    assert.equal((await counters.lease(2, limits, lookups(1))).lookups, 1)
    clock.ms = Date.UTC(2026, 11, 1)
    assert.equal((await counters.lease(1, limits, lookups(5))).lookups, 5)
  })

  test(`${engine}: a clock set back and forth begins no month and no day anew`, async () => {
    const { counters, clock } = await opened()
    await counters.lease(1, limits, lookups(25))
    await counters.admitIdentity(1, tag(1), 1)
    clock.ms -= 40 * 86_400_000
    // Nobody is locked out of the month that the clock shows.
    assert.equal((await counters.lease(1, limits, lookups(1))).lookups, 1)
    assert.equal(await counters.admitIdentity(1, tag(2), 1), true)
    clock.ms += 40 * 86_400_000
    assert.equal((await counters.lease(1, limits, lookups(1))).lookups, 0)
    assert.deepEqual(inFull(await counters.admitIdentity(1, tag(2), 1)), all(1))
  })

  test(`${engine}: unused lookups go back to their own month, never below zero`, async () => {
    const { counters, clock } = await opened()
    await counters.lease(1, limits, lookups(10))
    await counters.giveBack(1, "2026-11", 4)
    assert.equal((await counters.lease(1, limits, lookups(1))).quotaLeft, 25 - 6 - 1)
    await counters.giveBack(1, "2026-11", 1000)
    assert.equal((await counters.lease(1, limits, lookups(1))).quotaLeft, 24)
    clock.ms = Date.UTC(2026, 11, 1)
    await counters.lease(1, limits, lookups(10))
    await counters.giveBack(1, "2026-11", 1)
    assert.equal((await counters.lease(1, limits, lookups(1))).quotaLeft, 25 - 10 - 1)
  })

  test(`${engine}: one tenant's use leaves another's alone`, async () => {
    const { counters } = await opened()
    await counters.lease(1, limits, requests(10))
    assert.equal((await counters.lease(2, limits, requests(10))).requests, 10)
  })

  test(`${engine}: a day admits so many identities, those again, and others tomorrow`, async () => {
    const { counters, clock } = await opened()
    assert.equal(await counters.admitIdentity(1, tag(1), 2), true)
    assert.equal(await counters.admitIdentity(1, tag(2), 2), true)
    assert.deepEqual(inFull(await counters.admitIdentity(1, tag(3), 2)), all(1, 2))
    assert.equal(await counters.admitIdentity(1, tag(1), 2), true)
    assert.equal(await counters.admitIdentity(2, tag(3), 2), true)
    clock.ms += 86_400_000
    assert.equal(await counters.admitIdentity(1, tag(3), 2), true)
  })

  test(`${engine}: so many streams of a tenant are held, and more only after fewer`, async () => {
    const { counters } = await opened()
    assert.equal(await counters.holdStreams(1, 1, 2), true)
    assert.equal(await counters.holdStreams(1, 2, 2), true)
    assert.equal(await counters.holdStreams(1, 3, 2), false)
    assert.equal(await counters.holdStreams(2, 1, 2), true)
    // A worker sets its number of streams, so that repeating the call changes nothing.
    assert.equal(await counters.holdStreams(1, 2, 2), true)
    assert.equal(await counters.holdStreams(1, 0, 2), true)
    assert.equal(await counters.holdStreams(1, 2, 2), true)
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
    const use = { mailbox: "m1", device: "d1", account: "a1", atSeconds: at }
    for (let n = 0; n < 5; n++) await counters.velocity(signup({ ...use, atSeconds: at + n }))
    assert.equal((await counters.velocity(login(use))).device, 1)
    assert.equal((await counters.velocity(login(use))).mailbox, 1)
    const counts = await counters.velocity(signup({ ...use, account: "a2" }))
    assert.deepEqual([counts.device, counts.mailbox], [1, 2])
  })

  test(`${engine}: an event that is no sign-up is compared and leaves nothing`, async () => {
    const { counters } = await opened()
    const use = { mailbox: "m1", device: "d1", atSeconds: at }
    assert.equal((await counters.velocity(login(use))).device, 0)
    await counters.velocity(signup({ ...use, mailbox: "m2" }))
    for (let n = 0; n < 2; n++) assert.equal((await counters.velocity(login(use))).device, 1)
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
    const use = { mailbox: "m1", device: "d1", account: "a1" }
    await counters.velocity(signup({ ...use, atSeconds: at + 11 * hour }))
    clock.ms += 14 * hour * 1000
    const counts = await counters.velocity(signup({ ...use, atSeconds: at + 14 * hour }))
    assert.deepEqual([counts.device, counts.mailbox], [1, 1])
    assert.equal(counts.firstSignupSeconds, at + 11 * hour)
    clock.ms += 10 * hour * 1000
    const later = await counters.velocity(
      signup({ ...use, mailbox: "m2", atSeconds: at + 37 * hour }),
    )
    assert.equal(later.device, 2)
  })

  test(`${engine}: the first sign-up is the account's where it is known, else the mailbox's, never a later one`, async () => {
    const { counters } = await opened()
    await counters.velocity(signup({ mailbox: "m1", account: "a1", atSeconds: at }))
    await counters.velocity(signup({ mailbox: "m1", account: "a2", atSeconds: at + 50 }))
    const first = async (use: { mailbox: string; account?: string }, seconds: number) =>
      (await counters.velocity(login({ ...use, atSeconds: seconds }))).firstSignupSeconds
    assert.equal(await first({ mailbox: "m1" }, at + 60), at)
    assert.equal(await first({ mailbox: "m1", account: "a2" }, at + 60), at + 50)
    assert.equal(await first({ mailbox: "m9", account: "a2" }, at + 60), at + 50)
    assert.equal(await first({ mailbox: "m1", account: "a9" }, at + 60), at)
    assert.equal(await first({ mailbox: "m9" }, at + 60), null)
    assert.equal(await first({ mailbox: "m1" }, at - 1), null)
  })

  test(`${engine}: one tenant's sign-ups leave another's counts alone, also under equal names`, async () => {
    const { counters } = await opened()
    const use = { mailbox: "m1", device: "d1", cluster: "c1", atSeconds: at }
    for (const mailbox of ["m1", "m2", "m3"]) await counters.velocity(signup({ ...use, mailbox }))
    const counts = await counters.velocity(login({ ...use, tenantId: 2 }))
    assert.deepEqual([counts.device, counts.cluster, counts.mailbox], [0, 0, 0])
    assert.equal(counts.firstSignupSeconds, null)
  })

  test(`${engine}: a sign-up of more than 48 hours ago is not recorded`, async () => {
    const { counters } = await opened()
    const old = { mailbox: "m1", device: "d1", atSeconds: at - 48 * hour - 1 }
    assert.equal((await counters.velocity(signup(old))).device, 0)
  })
}
