import assert from "node:assert/strict"
import { setTimeout as delay } from "node:timers/promises"
import { refusedAs, testsOnRecords, type TestDatabase } from "./records-suite.ts"

const LONG = 60_000
const one = { name: "rounds", holder: "one", forMs: LONG }
const two = { ...one, holder: "two" }
const once = (name: string) => ({ name, forMs: LONG })
const facts = {
  ...{ id: "one", host: "a", version: "1.0.0", indexFormat: 3, serves: "{}" },
  startedAt: 5,
}

/** Nodes, and leases by which one of them at a time does something. */
export function recordsNodesSuite(engine: string, newDatabase: () => Promise<TestDatabase>): void {
  const onRecords = testsOnRecords(engine, newDatabase)

  onRecords(
    "a lease is one holder's until it is let go, and its number grows",
    async ({ records }) => {
      const first = (await records.takeLease(one)) ?? assert.fail()
      assert.equal(await records.takeLease(two), null)
      assert.equal(await records.renewLease(first, LONG), true)
      const [held] = await records.leases()
      assert.deepEqual([held?.name, held?.holder, held?.fence], ["rounds", "one", first.fence])
      // An earlier process of the same holder has ended, so the next one need not wait for its
      // time.
      const again = (await records.takeLease(one)) ?? assert.fail()
      assert.ok(again.fence > first.fence)
      assert.equal(await records.renewLease(first, LONG), false)
      // Letting go of what another took since changes nothing.
      await records.releaseLease(first)
      assert.equal(await records.takeLease(two), null)
      await records.releaseLease(again)
      assert.deepEqual(await records.leases(), [])
      const next = (await records.takeLease(two)) ?? assert.fail()
      assert.ok(next.fence > again.fence)
      assert.ok(await records.takeLease({ ...one, name: "other" }))
    },
  )

  onRecords(
    "what is good once is used up by the first of all who ask, until it is forgotten, and is no lease",
    async ({ records }) => {
      const asked = Array.from({ length: 6 }, () =>
        records.useOnce({ name: "step 1", forMs: LONG }),
      )
      assert.deepEqual((await Promise.all(asked)).filter(Boolean), [true])
      assert.equal(await records.useOnce({ name: "step 1", forMs: LONG }), false)
      assert.deepEqual(
        [await records.wasUsed("step 1"), await records.wasUsed("step 2")],
        [true, false],
      )
      assert.equal(await records.useOnce({ name: "step 2", forMs: 1 }), true)
      assert.deepEqual(await records.leases(), [])
      assert.equal((await records.takeLease({ ...one, name: "step 1" }))?.fence, 1)
      await delay(20)
      assert.equal(await records.wasUsed("step 2"), false)
      // Forgotten, and the one whose time is not over is not.
      assert.equal(await records.useOnce({ name: "step 2", forMs: LONG }), true)
      assert.equal(await records.useOnce({ name: "step 1", forMs: LONG }), false)
    },
  )

  onRecords("attempts are counted together by all who share the records", async ({ open }) => {
    const many = await Promise.all(Array.from({ length: 4 }, () => open()))
    const names = [
      { name: "one", most: 5 },
      { name: "all", most: 7 },
    ]
    // Named in both orders, which must not make two wait for each other.
    const asked = Array.from({ length: 24 }, (_, n) =>
      (many[n % 4] ?? assert.fail()).takeAttempts({
        names: n % 2 === 0 ? names : names.toReversed(),
        forMs: LONG,
      }),
    )
    const waits = await Promise.all(asked)
    assert.equal(waits.filter((wait) => wait === null).length, 5)
    for (const wait of waits) assert.ok(wait === null || (wait > 0 && wait <= LONG))
    // Those that were refused took none of the other name.
    const [records = assert.fail()] = many
    const next = { names: [{ name: "all", most: 7 }], forMs: LONG }
    const more = [1, 2, 3].map(() => records.takeAttempts(next))
    assert.equal((await Promise.all(more)).filter((wait) => wait === null).length, 2)
    assert.deepEqual(await records.leases(), [])
  })

  onRecords(
    "attempts that are given back, or whose time is over, can be taken again",
    async ({ records }) => {
      const take = async (name: string, forMs = LONG): Promise<boolean> =>
        (await records.takeAttempts({ names: [{ name, most: 1 }], forMs })) === null
      assert.deepEqual([await take("one"), await take("one")], [true, false])
      await records.giveBackAttempts(["one", "never taken"])
      await records.giveBackAttempts(["one"])
      assert.deepEqual([await take("one"), await take("one")], [true, false])
      assert.deepEqual([await take("short", 1), await records.useOnce(once("short"))], [true, true])
      await delay(20)
      assert.deepEqual([await take("short"), await take("short")], [true, false])
      // What is forgotten is only what is over.
      assert.equal(await take("over", 1), true)
      await delay(20)
      await records.forgetAttempts()
      assert.deepEqual([await take("one"), await take("over")], [false, true])
      assert.equal(await records.wasUsed("short"), true)
    },
  )

  onRecords(
    "a lease whose time is over is its holder's again if nobody took it, and another's who did",
    async ({ records }) => {
      const first = (await records.takeLease({ ...one, forMs: 1 })) ?? assert.fail()
      await delay(20)
      assert.deepEqual(await records.leases(), [])
      assert.equal(await records.renewLease(first, LONG), true)
      assert.equal(await records.takeLease(two), null)
      assert.equal(await records.renewLease(first, 1), true)
      await delay(20)
      const next = (await records.takeLease({ ...two, forMs: 1 })) ?? assert.fail()
      assert.ok(next.fence > first.fence)
      assert.equal(await records.renewLease(first, LONG), false)
      // Nor once the time of the other is over as well.
      await delay(20)
      assert.equal(await records.renewLease(first, LONG), false)
      assert.equal(await records.renewLease(next, LONG), true)
      assert.equal(await records.takeLease(one), null)
    },
  )

  onRecords("of several that ask for a lease at once one gets it", async ({ open }) => {
    const many = await Promise.all(Array.from({ length: 4 }, () => open()))
    const asked = many.map((records, place) => records.takeLease({ ...one, holder: `${place}` }))
    const taken = (await Promise.all(asked)).filter((lease) => lease !== null)
    assert.equal(taken.length, 1)
  })

  onRecords(
    "whoever lost a lease writes nothing under it, be it synced or not",
    async ({ records, open }) => {
      const lease = (await records.takeLease(one)) ?? assert.fail()
      const tenant = { name: "Acme", plan: "free", at: 1, actor: "test" }
      const [first] = [await records.underLease(lease, "createTenant", [tenant])]
      assert.equal((first as { name: string }).name, "Acme")
      await records.beginNode(facts)
      await records.releaseLease(lease)
      const other = await open()
      assert.ok(await other.takeLease(two))
      const second = [{ ...tenant, name: "Beta" }]
      await assert.rejects(
        records.underLease(lease, "createTenant", second),
        refusedAs("lease-lost"),
      )
      assert.equal(await records.tenantByName("Beta"), null)
      const seen = [{ id: "one", clockOffMs: 7, foldedAt: 9 }]
      await assert.rejects(records.underLease(lease, "seeNode", seen), refusedAs("lease-lost"))
      assert.equal((await records.nodes())[0]?.clockOffMs, 0)
      // Reading is not fenced, nor is what the same process writes beside it.
      assert.equal(await records.underLease(lease, "tenantByName", ["Beta"]), null)
      await records.createTenant({ ...tenant, name: "Gamma" })
    },
  )

  onRecords("a lease whose time is over is lost, though nobody took it", async ({ records }) => {
    const lease = (await records.takeLease({ ...one, forMs: 1 })) ?? assert.fail()
    await delay(20)
    const tenant = { name: "Acme", plan: "free", at: 1, actor: "test" }
    await assert.rejects(
      records.underLease(lease, "createTenant", [tenant]),
      refusedAs("lease-lost"),
    )
  })

  onRecords(
    "a node is listed with what it said last, until it is forgotten",
    async ({ records }) => {
      const before = await records.databaseTime()
      await records.beginNode(facts)
      const [begun] = await records.nodes()
      assert.ok(begun && begun.seenAt >= before)
      assert.deepEqual([begun.foldedAt, begun.leftAt, begun.startedAt], [0, null, 5])
      await records.seeNode({ id: "one", clockOffMs: -3, foldedAt: before })
      await records.seeNode({ id: "one", clockOffMs: 4, foldedAt: null })
      const [seen] = await records.nodes()
      assert.deepEqual([seen?.clockOffMs, seen?.foldedAt], [4, before])
      await records.leaveNode("one")
      assert.notEqual((await records.nodes())[0]?.leftAt, null)
      // Begun again it keeps how far it had folded: its journal may hold what came after.
      await records.beginNode({ ...facts, version: "1.1.0" })
      const [again] = await records.nodes()
      assert.deepEqual([again?.version, again?.foldedAt, again?.leftAt], ["1.1.0", before, null])
      await records.sayImports({ id: "one", said: "first" })
      await records.sayImports({ id: "one", said: "second" })
      await records.sayImports({ id: "two", said: "other" })
      assert.deepEqual(await records.saidImports(), [
        { id: "one", said: "second" },
        { id: "two", said: "other" },
      ])
      await records.sayRequests({ id: "one", said: "ten" })
      await records.sayRequests({ id: "one", said: "eleven" })
      assert.equal(await records.forgetNode("one"), true)
      assert.deepEqual(await records.saidImports(), [{ id: "two", said: "other" }])
      // What it was asked still counts.
      assert.deepEqual(await records.saidRequests(), [{ id: "one", said: "eleven" }])
      assert.equal(await records.forgetNode("one"), false)
      assert.deepEqual(await records.nodes(), [])
    },
  )
}
