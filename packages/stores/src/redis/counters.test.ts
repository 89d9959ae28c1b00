import assert from "node:assert/strict"
import { after, test, type TestContext } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import fc from "fast-check"
import { login, signup, type Use } from "../../testing/context-events-suite.ts"
import { countersSuite } from "../../testing/counters-suite.ts"
import { clusterForFile } from "../../testing/redis/cluster-suite.ts"
import {
  countingTrips,
  losingAnswers,
  openTestCounters,
  type TestCounters,
} from "../../testing/redis/counters-opener.ts"
import { until } from "../../testing/redis/test-cluster.ts"
import type { ContextEvent, Counters, Velocity } from "../counters.ts"
import { embeddedVelocity } from "../embedded/velocity.ts"
import { IndexUnavailable } from "../exposure-index.ts"
import { LEASE_MS, type ClusterCountersOptions } from "./counters.ts"

const cluster = await clusterForFile()
const MONTH = "2026-11"
const START = Date.UTC(2026, 10, 14, 12)
const plan = { perSecond: 10, perMonth: 100 }
const lookups = (count: number) => ({ requests: 0, lookups: count })
const tag = (n: number): Uint8Array => new Uint8Array(8).fill(n)

if (cluster !== null) {
  const opened = async (changes: Partial<ClusterCountersOptions> = {}): Promise<TestCounters> => {
    const counters = await openTestCounters(cluster, changes)
    after(() => counters.connection.close())
    return counters
  }
  /** Time that only a test lets pass. */
  const timed = async (changes: Partial<ClusterCountersOptions> = {}) => {
    const clock = { ms: START, elapsedMs: 0 }
    const clocks = { now: () => clock.ms, elapsed: () => clock.elapsedMs }
    return { clock, nodes: await opened({ ...changes, clocks }) }
  }
  const leftOf = async (counters: Counters): Promise<number> =>
    (await counters.lease(1, plan, lookups(0))).quotaLeft

  countersSuite("redis", async (clocks) => (await opened({ clocks })).of(1))

  test("redis: nodes that ask at the same time are granted what one would be, and not more", async () => {
    const { nodes } = await timed()
    const [one, two, three] = [nodes.of(1), nodes.of(2), nodes.another().of(1)]
    const worker = (n: number): Counters => [one, two, three][n % 3] ?? one
    const leases = await Promise.all(
      Array.from({ length: 60 }, (_, n) => worker(n).lease(1, plan, { requests: 1, lookups: 3 })),
    )
    const sum = (of: "requests" | "lookups"): number =>
      leases.reduce((all, lease) => all + lease[of], 0)
    assert.deepEqual([sum("requests"), sum("lookups")], [plan.perSecond, plan.perMonth])
    const admitted = await Promise.all(
      Array.from({ length: 60 }, (_, n) => worker(n).admitIdentity(1, tag(n), 20)),
    )
    assert.equal(admitted.filter((each) => each === true).length, 20)
    const full = admitted.find((each) => each !== true)
    assert.equal(Array.isArray(full) ? full.length : 0, 20)
  })

  test("redis: what a node that is gone held of a month is the month's again when its lease ends, and what it had used is not", async () => {
    const { clock, nodes } = await timed()
    const [gone, other] = [nodes.of(1), nodes.another().of(1)]
    await gone.lease(1, plan, lookups(20))
    // Whoever asks again has used what it had.
    await gone.lease(1, plan, lookups(20))
    assert.equal(await leftOf(other), 60)
    clock.elapsedMs += LEASE_MS - 1
    assert.equal(await leftOf(other), 60)
    clock.elapsedMs += 1
    assert.equal(await leftOf(other), 80)
    // A process that was only stopped has its lookups still, and uses them.
    await gone.giveBack(1, MONTH, 5)
    assert.equal(await leftOf(other), 65)
    clock.elapsedMs += 2 * 3_600_000
    assert.equal(await leftOf(other), 65)
    // It is forgotten by now: what it gives back is nobody's.
    await gone.giveBack(1, MONTH, 5)
    assert.equal(await leftOf(other), 65)
  })

  test("redis: a worker that takes requests keeps its lookups, however long it takes to use them", async () => {
    const { clock, nodes } = await timed()
    const [slow, other] = [nodes.of(1), nodes.another().of(1)]
    await slow.lease(1, plan, lookups(20))
    for (let n = 0; n < 5; n++) {
      clock.elapsedMs += LEASE_MS - 1
      await slow.lease(1, plan, { requests: 1, lookups: 0 })
    }
    assert.equal(await leftOf(other), 80)
  })

  test("redis: a grant whose answer was lost is charged to nobody, also where the node asks again and again", async () => {
    const { nodes } = await timed()
    const state = { deaf: false }
    const node = nodes.another({ connection: losingAnswers(nodes.connection, state) }).of(1)
    await node.lease(1, plan, lookups(20))
    state.deaf = true
    for (let n = 0; n < 10; n++)
      await assert.rejects(node.lease(1, plan, lookups(20)), IndexUnavailable)
    state.deaf = false
    const { lookups: granted, quotaLeft } = await node.lease(1, plan, lookups(20))
    assert.deepEqual([granted, quotaLeft], [20, 60])
    await node.giveBack(1, MONTH, 20)
    assert.equal(await leftOf(node), 80)
    state.deaf = true
    await assert.rejects(node.lease(1, plan, lookups(20)))
    state.deaf = false
    // Lookups that were refunded meanwhile go back, and those of the lost grant were never used.
    await node.giveBack(1, MONTH, 1)
    assert.equal(await leftOf(node), 81)
  })

  test("redis: the velocity of a sign-up, in every window, is asked for in one round trip", async () => {
    const { nodes } = await timed()
    const connection = countingTrips(nodes.connection)
    const node = nodes.another({ connection }).of(1)
    const use = (n: number): Use => ({
      mailbox: `mailbox${n}`,
      device: "device",
      network: "network",
      cluster: "cluster",
      account: `account${n}`,
      atSeconds: START / 1000,
    })
    // Each primary is sent the text of the script once; of this tenant one has all.
    await node.velocity(signup(use(0)))
    const before = connection.trips()
    for (let n = 1; n <= 10; n++) {
      const { device, network, cluster: inCluster } = await node.velocity(signup(use(n)))
      assert.deepEqual([device, network, inCluster], [n + 1, n + 1, n + 1])
    }
    assert.equal(connection.trips() - before, 10)
  })

  test("redis: a node's clock that is set back lengthens no second, no lease of lookups and none of streams", async () => {
    const { clock, nodes } = await timed()
    const [gone, other] = [nodes.of(1), nodes.another().of(1)]
    clock.elapsedMs = 10 * 60_000
    await gone.lease(1, plan, { requests: 10, lookups: 20 })
    await gone.holdStreams(1, 2, 2)
    clock.elapsedMs = 0
    const { requests, windowEndsInMs, quotaLeft } = await other.lease(1, plan, {
      requests: 10,
      lookups: 0,
    })
    assert.deepEqual([requests, windowEndsInMs, quotaLeft], [10, 1000, 100])
    assert.equal(await other.holdStreams(1, 2, 2), true)
  })

  test("redis: streams of a worker that is gone are free at once, those of a node that is gone when its lease ends", async () => {
    const { clock, nodes } = await timed()
    const gone = nodes.another()
    assert.equal(await nodes.of(1).holdStreams(1, 1, 2), true)
    assert.equal(await gone.of(1).holdStreams(1, 1, 2), true)
    assert.equal(await nodes.of(2).holdStreams(1, 1, 2), false)
    await nodes.forgetWorker(1)
    assert.equal(await nodes.of(2).holdStreams(1, 1, 2), true)
    clock.elapsedMs += LEASE_MS - 1
    await nodes.holdOn()
    assert.equal(await nodes.of(3).holdStreams(1, 1, 2), false)
    clock.elapsedMs += 1
    assert.equal(await nodes.of(3).holdStreams(1, 1, 2), true)
    // It was only stopped: its stream is open, and counts again.
    await gone.holdOn()
    assert.equal(await nodes.of(4).holdStreams(1, 1, 3), false)
  })

  test("redis: a month and a day that the cluster does not know begin with what the records have, once", async () => {
    const asked = { months: 0, days: 0 }
    const { nodes } = await timed({
      before: {
        async lookups(tenantId, month) {
          asked.months++
          return tenantId === 1 && month === MONTH ? 90 : 0
        },
        async identities(tenantId, day) {
          asked.days++
          return tenantId === 1 && day === "2026-11-14" ? [tag(1), tag(2)] : []
        },
      },
    })
    const workers = Array.from({ length: 8 }, (_, n) => nodes.of(n))
    const leases = await Promise.all(workers.map((one) => one.lease(1, plan, lookups(2))))
    assert.equal(
      leases.reduce((all, { lookups: granted }) => all + granted, 0),
      10,
    )
    const answers = await Promise.all(workers.map((one) => one.admitIdentity(1, tag(1), 2)))
    assert.ok(answers.every((answer) => answer === true))
    const full = await nodes.of(9).admitIdentity(1, tag(3), 2)
    assert.ok(full !== true)
    assert.deepEqual(full.map(([first]) => first).sort(), [1, 2])
    assert.deepEqual(asked, { months: 1, days: 1 })
    // What it forgets it asks for again, and who holds lookups of before gives none back twice.
    for (const node of cluster.nodes) {
      const key = `${nodes.bucketOf(1)}:t1:${MONTH}`
      // Those that do not have the slot refuse.
      await node.ask("DEL", key).catch(() => undefined)
    }
    await workers[0]?.giveBack(1, MONTH, 2)
    assert.equal(await leftOf(nodes.of(9)), 10)
  })

  test("redis: each admitted identity is told of once, by whoever admitted it", async () => {
    const told: string[] = []
    const onAdmitted = (day: string, tenantId: number, each: Uint8Array): void =>
      void told.push(`${day} ${tenantId} ${each[0]}`)
    const { nodes } = await timed({ onAdmitted })
    const [one, two] = [nodes.of(1), nodes.another().of(1)]
    for (const n of [1, 2, 1, 3])
      for (const each of [one, two]) await each.admitIdentity(7, tag(n), 2)
    assert.deepEqual(told, ["2026-11-14 7 1", "2026-11-14 7 2"])
  })

  test("redis: seconds pass by the cluster's own clock", async () => {
    const nodes = await opened()
    const worker = nodes.of(1)
    const first = await worker.lease(1, plan, { requests: 10, lookups: 0 })
    assert.ok(first.windowEndsInMs > 0 && first.windowEndsInMs <= 1000)
    const deadline = performance.now() + 60_000
    for (let granted = 0; granted === 0;) {
      assert.ok(performance.now() < deadline, "the next second does not come")
      await delay(100)
      granted = (await nodes.another().of(1).lease(1, plan, { requests: 1, lookups: 0 })).requests
    }
  })

  const few = fc.constantFrom("1", "2", "3")

  test("redis: sign-ups are counted as in the memory of one machine, whichever node asks", async () => {
    const event = fc.record({
      mailbox: few,
      device: fc.option(few, { nil: undefined }),
      network: fc.option(few, { nil: undefined }),
      cluster: fc.option(few, { nil: undefined }),
      account: fc.option(few, { nil: undefined }),
      pause: fc.integer({ min: -3600, max: 5 * 3600 }),
      records: fc.boolean(),
    })
    const clock = { ms: START }
    const clocks = { now: () => clock.ms, elapsed: () => clock.ms }
    const bounds = { entriesMax: 1_000_000, membersMax: 2 }
    const nodes = await opened({ clocks, bounds })
    const workers = [nodes.of(1), nodes.another().of(1)]
    let tenantId = 0
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
        tenantId++
        clock.ms = START
        let seconds = START / 1000
        const embedded = embeddedVelocity(clocks.now, bounds)
        for (const [n, { pause, records, ...given }] of events.entries()) {
          seconds += pause
          clock.ms = Math.max(clock.ms, seconds * 1000)
          const use = JSON.parse(JSON.stringify({ ...given, tenantId, atSeconds: seconds })) as Use
          const asked = records ? signup(use) : login(use)
          assert.deepEqual(await workers[n % 2]?.velocity(asked), embedded.velocity(asked))
        }
      }),
      { numRuns: process.env["ASSAY_SOAK"] === undefined ? 60 : 1000, seed: 48 },
    )
  })

  test("redis: a full window and a full tenant take no more, say so, and harm no other", async () => {
    const { nodes } = await timed({ bounds: { entriesMax: 9, membersMax: 3 } })
    const worker = nodes.of(1)
    const at = START / 1000
    const dropped: number[] = []
    for (let n = 0; n < 6; n++)
      dropped.push(
        (await worker.velocity(signup({ mailbox: `m${n}`, device: "d", atSeconds: at }))).dropped,
      )
    // The device is full at three, the tenant at nine: a window of the device and one of each
    // mailbox.
    assert.deepEqual(dropped, [0, 0, 0, 1, 1, 1])
    const more = await worker.velocity(signup({ mailbox: "m9", device: "e", atSeconds: at }))
    assert.deepEqual([more.device, more.mailbox, more.dropped], [0, 0, 2])
    const other = { mailbox: "m9", device: "e", atSeconds: at, tenantId: 2 }
    assert.equal((await worker.velocity(signup(other))).device, 1)
    const known = await worker.velocity(login({ mailbox: "m0", device: "d", atSeconds: at }))
    assert.deepEqual([known.device, known.mailbox], [3, 1])
  })

  test("redis: a slot that was lost is not taken for one in which nothing happened", async () => {
    const { nodes } = await timed()
    const event = signup({ mailbox: "m", device: "d", atSeconds: START / 1000 })
    await nodes.of(1).velocity(event)
    for (const node of cluster.nodes) {
      // Those that do not have the slot refuse.
      await node.ask("DEL", nodes.bucketOf(1)).catch(() => undefined)
    }
    await assert.rejects(nodes.of(1).velocity(event), IndexUnavailable)
    // The month is known from the records, so that nobody is locked out.
    assert.equal((await nodes.of(1).lease(1, plan, lookups(1))).lookups, 1)
  })

  test("redis: everything ends by itself, sign-ups within 48 hours, and no name or tag is kept but as it came", async () => {
    const nodes = await opened()
    const worker = nodes.of(1)
    const at = Math.floor(Date.now() / 1000)
    const use = { mailbox: "m", device: "d", network: "n", cluster: "c", account: "a" }
    // Of yesterday, of today, and one that is reported two days late.
    for (const ago of [86_400, 0, 172_000])
      await worker.velocity(signup({ ...use, atSeconds: at - ago }))
    await worker.lease(1, plan, { requests: 1, lookups: 1 })
    await worker.admitIdentity(1, tag(1), 5)
    await worker.holdStreams(1, 1, 2)
    const bucket = nodes.bucketOf(1)
    const keys: string[] = []
    for (const node of cluster.nodes) {
      for (const key of (await node.ask("KEYS", `${nodes.name}:*:t1:*`)) as string[]) {
        keys.push(key)
        const ttl = Number(await node.ask("PTTL", key))
        const isOfSignups = !/:(rate|streams|\d{4}-\d\d(-\d\d)?)$/.test(key)
        assert.ok(key.startsWith(`${bucket}:t1:`), key)
        // Redis says -2 of a name that its text does not spell.
        if (ttl !== -2)
          assert.ok(ttl > 0 && ttl <= (isOfSignups ? 48 : 24 * 40) * 3_600_000, `${key} ${ttl}`)
      }
    }
    assert.ok(keys.length >= 4 + 5 + 5, keys.join(" "))
  })

  const people = process.env["ASSAY_SOAK"] === undefined ? 3000 : 30_000
  const BYTES_MAX = 700

  test(`redis: ${people} sign-ups of as many mailboxes and accounts take under ${BYTES_MAX} bytes each`, async (t: TestContext) => {
    const nodes = await opened()
    const worker = nodes.of(1)
    const node = cluster.nodes[await cluster.nodeOf(nodes.bucketOf(1))]
    const used = async (): Promise<number> =>
      Number(/^used_memory:(\d+)/m.exec(String(await node?.ask("INFO", "memory")))?.[1])
    const atSeconds = Math.floor(Date.now() / 1000)
    const signUps = async (from: number, count: number): Promise<void> => {
      await Promise.all(
        Array.from({ length: count }, (_, i) => {
          const [mailbox, account] = [`m${from + i}`, `a${from + i}`]
          const [device, network] = [`d${(from + i) >> 1}`, `n${(from + i) >> 4}`]
          const use = {
            mailbox,
            account,
            device,
            network,
            cluster: `c${(from + i) >> 2}`,
            atSeconds,
          }
          return worker.velocity(signup(use))
        }),
      )
    }
    await signUps(1_000_000, 500)
    const before = await used()
    for (let from = 0; from < people; from += 500) await signUps(from, 500)
    const each = ((await used()) - before) / people
    t.diagnostic(`${each.toFixed(0)} bytes a sign-up`)
    assert.ok(each < BYTES_MAX)
  })

  test("redis: without an answer nobody is told anything, and what was counted is there when the cluster is back", async (t: TestContext) => {
    const nodes = await opened()
    const impatient = await openTestCounters(cluster)
    t.after(() => impatient.connection.close())
    const worker = nodes.of(1)
    const at = Math.floor(Date.now() / 1000)
    const event: ContextEvent = signup({ mailbox: "m", device: "d", atSeconds: at })
    await worker.lease(1, plan, lookups(20))
    await worker.velocity(event)
    const place = await cluster.nodeOf(nodes.bucketOf(1))
    const node = cluster.nodes[place]
    await node?.kill()
    await assert.rejects(worker.lease(1, plan, lookups(20)), IndexUnavailable)
    await assert.rejects(worker.velocity(event), IndexUnavailable)
    await node?.start()
    let counts: Velocity | null = null
    await until(async () => {
      counts = await worker.velocity(event)
      return true
    })
    assert.deepEqual([(counts as Velocity | null)?.device], [1])
    const { quotaLeft } = await worker.lease(1, plan, lookups(20))
    // The first twenty are used, and the one that was refused took nothing.
    assert.equal(quotaLeft, 60)
  })
}
