import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import { keyOf, source } from "../../testing/exposure-index-process-suite.ts"
import { importedBatch, row } from "../../testing/opened-index-suite.ts"
import { clusterForFile } from "../../testing/redis/cluster-suite.ts"
import { until, type TestCluster, type TestNode } from "../../testing/redis/test-cluster.ts"
import { IndexUnavailable, type ExposureIndex } from "../exposure-index.ts"
import type { MarkedIndex } from "../index-place.ts"
import { readClusterPlace } from "./cluster-place.ts"
import { openConnection } from "./connection.ts"
import { openRedisIndex } from "./exposure-index.ts"
import { layoutOf, metaKey } from "./layout.ts"
import { slotOf } from "./slot.ts"

const BITS = 6
const cluster = await clusterForFile({ replicas: true })
if (cluster !== null) testOn(cluster)

function testOn(cluster: TestCluster): void {
  const place = readClusterPlace(cluster.urls) ?? assert.fail()
  let opened = 0
  const newName = (): string => `replicated-${++opened}`
  const open = async (t: TestContext, name: string, timeoutMs = 2_000): Promise<MarkedIndex> => {
    const index = await openRedisIndex({ place, name, bucketBits: BITS, timeoutMs })
    t.after(() => index.close())
    return index
  }
  const node = (number: number): TestNode => cluster.nodes[number] as TestNode
  const bucketOf = (name: string, key: Uint8Array): string => {
    const layout = layoutOf(name, BITS)
    return layout.bucketKey(layout.bucketOf(key))
  }

  interface Pair {
    readonly primary: number
    readonly replica: number
  }
  /** Tells the primary that has a key now, and its replica. */
  const pairs = async (): Promise<(key: string) => Pair> => {
    const ids = await Promise.all(cluster.nodes.map((each) => each.ask("CLUSTER", "MYID")))
    const ranges = (await node(0).ask("CLUSTER", "SLOTS")) as [number, number, ...unknown[][]][]
    return (key) => {
      const slot = slotOf(key)
      const [, , ...pair] = ranges.find(([from, to]) => slot >= from && slot <= to) ?? assert.fail()
      const [primary, replica] = pair.map(([, , id]) => ids.indexOf(id))
      return { primary: primary ?? assert.fail(), replica: replica ?? assert.fail() }
    }
  }
  const pairOf = async (key: string): Promise<Pair> => (await pairs())(key)

  /**
   * An index with a live and a loading batch, and identities of one pair of nodes that does not
   * have the catalogue; the first twenty are in the live batch.
   */
  const imported = async (t: TestContext, count = 40) => {
    const name = newName()
    const index = await open(t, name)
    const of = await pairs()
    const elsewhere = of(metaKey(name)).primary
    const all = Array.from({ length: count * 6 }, (_, i) => keyOf(i))
    const first = all.find((key) => of(bucketOf(name, key)).primary !== elsewhere) ?? assert.fail()
    const pair = of(bucketOf(name, first))
    const keys = all.filter((key) => of(bucketOf(name, key)).primary === pair.primary)
    assert.ok(keys.length >= count)
    const live = await importedBatch(index, "file", keys.slice(0, 20))
    const { id: batch } = await index.openBatch(source, "further file", 3)
    return { name, index, keys: keys.slice(0, count), pair, live, batch }
  }
  /** Has the replica of a pair hang, without the cluster finding so, while `work` runs. */
  const withHanging = async (replica: number, work: () => Promise<void>): Promise<void> => {
    const finding = async (ms: number): Promise<void> => {
      for (const each of cluster.nodes) {
        await each.ask("CONFIG", "SET", "cluster-node-timeout", String(ms))
      }
    }
    await finding(600_000)
    node(replica).pause()
    try {
      await work()
    } finally {
      node(replica).resume()
      await finding(2_000)
      await cluster.replicated()
    }
  }
  const countOf = async (index: ExposureIndex, key: Uint8Array): Promise<number> =>
    (await index.lookup(key, null)).entries.length

  test("redis: a slot is computed as the cluster does", async () => {
    for (const key of ["", "{}", "a", "{a}b", "x{a}b", "x{}y", "a}{b", "{a}{b}", "ä{ö}", "{{a}}"]) {
      assert.equal(slotOf(key), await node(0).ask("CLUSTER", "KEYSLOT", key), key)
    }
  })

  test("redis: an index of thousands of buckets is made with a few waits for replicas", async (t) => {
    const waits = async (): Promise<number> => {
      const told = await Promise.all(cluster.nodes.map((each) => each.ask("INFO", "commandstats")))
      return told
        .map((text) => Number(/^cmdstat_wait:calls=(\d+)/m.exec(String(text))?.[1] ?? 0))
        .reduce((sum, calls) => sum + calls, 0)
    }
    const before = await waits()
    const options = { place, name: newName(), bucketBits: 12, timeoutMs: 10_000 }
    const index = await openRedisIndex(options)
    t.after(() => index.close())
    const made = (await waits()) - before
    assert.ok(made > 0 && made < 60, String(made))
  })

  test("redis: a process that is busy for seconds before it can send what it asks gets its answers all the same", async (t) => {
    const opened = async () => {
      const connection = await openConnection({ place, timeoutMs: 60_000 })
      t.after(() => connection.close())
      return connection
    }
    const [one, other] = [await opened(), await opened()]
    const key = metaKey(newName())
    // Both are connected to the node, and the first knows of its replica.
    await one.replicated.send(key, ["HSET", key, "field", "before"])
    await other.send(key, ["EXISTS", key])
    // From here on timers that are due run before anything is sent.
    await new Promise(setImmediate)
    const asked = [
      one.replicated.send(key, ["HSET", key, "field", "after"]),
      one.sendToMasters(["PING"]),
      other.hasReplica(key),
    ] as const
    for (let turns = 0; turns < 50; turns++) await Promise.resolve()
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000)
    const [changed, answers, hasReplica] = await Promise.all(asked)
    assert.equal(changed, 0)
    assert.equal(answers.length, 3)
    assert.equal(hasReplica, true)
    assert.equal(String(await one.send(key, ["HGET", key, "field"])), "after")
  })

  test("redis: an index goes on being made when a replica that hung answers again", async (t) => {
    const name = newName()
    const of = await pairs()
    const { primary } = of(metaKey(name))
    const { replica } =
      Array.from({ length: 60 }, (_, i) => of(bucketOf(name, keyOf(i)))).find(
        (pair) => pair.primary !== primary,
      ) ?? assert.fail()
    const state = { settled: false }
    let opening: Promise<MarkedIndex> | undefined
    await withHanging(replica, async () => {
      // Asked of those that answer where the others are.
      const nodes = place.nodes.filter((_, number) => number !== replica)
      const options = { place: { ...place, nodes }, name, bucketBits: BITS, timeoutMs: 1_000 }
      opening = openRedisIndex(options).finally(() => (state.settled = true))
      await delay(3_000)
      assert.equal(state.settled, false)
    })
    const index = (await opening) ?? assert.fail()
    t.after(() => index.close())
    assert.equal(await countOf(index, keyOf(1)), 0)
  })

  test("redis: while no replica has a change it is refused, and so is its repetition that finds it made, until the replica goes on", async (t) => {
    const { index, keys, pair, batch } = await imported(t)
    const [rows, others] = [
      [row(keys[0] as Uint8Array, batch)],
      [row(keys[1] as Uint8Array, batch)],
    ]
    await withHanging(pair.replica, async () => {
      await assert.rejects(index.merge(batch, rows), /No replica has the change in time/)
      for (let again = 0; again < 2; again++) {
        await assert.rejects(index.merge(batch, rows), IndexUnavailable)
        await assert.rejects(index.erase(keys[2] as Uint8Array), IndexUnavailable)
      }
      // Nobody waits who only reads.
      for (const key of keys.slice(3, 9)) assert.equal(await countOf(index, key), 1)
    })
    await until(async () => (await index.merge(batch, rows)) === 1)
    await index.merge(batch, others)
    await index.goLive(batch, { rows: 2, identities: 2 }, 4)
    assert.equal(await countOf(index, keys[0] as Uint8Array), 2)
  })

  test("redis: a catalogue that no replica has is refused, and so is finding it as it should be", async (t) => {
    const { name, index } = await imported(t)
    const { replica } = await pairOf(metaKey(name))
    await withHanging(replica, async () => {
      for (let again = 0; again < 3; again++) {
        await assert.rejects(index.openBatch(source, "late file", 5), IndexUnavailable)
      }
    })
    await until(async () => (await index.openBatch(source, "late file", 5)).state === "loading")
  })

  test("redis: where the cluster has found that the only replica is away, changes are made as without one", async (t) => {
    const { index, keys, pair, batch } = await imported(t)
    await node(pair.replica).kill()
    const rows = [row(keys[0] as Uint8Array, batch)]
    await until(async () => (await index.merge(batch, rows)) === 1)
    await node(pair.replica).start()
    await cluster.replicated()
    assert.equal(await index.merge(batch, [row(keys[1] as Uint8Array, batch)]), 1)
  })

  test("redis: changes that are acknowledged while their primary is killed are all there after its replica took over", async (t) => {
    const { index, keys, pair, live, batch } = await imported(t, 1_000)
    const acknowledged: Uint8Array[] = []
    let refused = 0
    const waiting = keys.slice(20)
    const write = async (): Promise<void> => {
      for (let key = waiting.pop(); key !== undefined;) {
        try {
          await index.merge(batch, [row(key, batch)])
          acknowledged.push(key)
          key = waiting.pop()
        } catch (error) {
          assert.ok(error instanceof IndexUnavailable)
          refused += 1
          await delay(50)
        }
      }
    }
    const writing = Promise.all(Array.from({ length: 8 }, write))
    await until(async () => acknowledged.length > 100)
    await node(pair.primary).kill()
    await writing
    assert.ok(refused > 0)
    assert.equal(acknowledged.length, 980)
    const erased = keys[0] as Uint8Array
    await index.erase(erased)
    assert.match(await ownLineOf(pair.replica), /myself,master/)
    await index.goLive(batch, { rows: 980, identities: 980 }, 4)
    for (const key of keys.slice(1)) assert.equal(await countOf(index, key), 1)
    assert.equal((await index.lookup(erased, null)).erased, true)
    assert.ok((await index.catalogue()).batches.has(live))
    await node(pair.primary).start()
    await cluster.replicated()
    for (const key of keys.slice(1)) assert.equal(await countOf(index, key), 1)
  })

  /** What a node says of itself. */
  async function ownLineOf(number: number): Promise<string> {
    const lines = String(await node(number).ask("CLUSTER", "NODES")).split("\n")
    return lines.find((line) => line.includes("myself")) ?? assert.fail()
  }

  test("redis: where a lost catalogue is followed by another of the same number, nobody goes on with the lost one", async (t) => {
    const name = newName()
    const [one, two] = [await open(t, name), await open(t, name)]
    await importedBatch(one, "file", [keyOf(1)])
    const key = metaKey(name)
    const { primary } = await pairOf(key)
    // A failover to a replica without the last change, done by hand.
    await node(primary).ask("COPY", key, `${key}:kept`)
    const lost = await one.openBatch(source, "lost file", 5)
    assert.ok((await two.catalogue()).batches.has(lost.id))
    await node(primary).ask("COPY", `${key}:kept`, key, "REPLACE")
    const late = await open(t, name)
    const other = await late.openBatch({ ...source, name: "another" }, "another file", 6)
    assert.equal(other.id, lost.id)
    const sourceOf = async (index: ExposureIndex): Promise<string | undefined> => {
      const { batches, sources } = await index.catalogue()
      return sources.get(batches.get(other.id)?.sourceId ?? -1)?.name
    }
    for (const index of [one, two, late]) assert.equal(await sourceOf(index), "another")
  })

  test("redis: whoever read a catalogue that was lost does not write over its successor", async (t) => {
    const name = newName()
    const [one, late] = [await open(t, name), await open(t, name)]
    await importedBatch(one, "file", [keyOf(1)])
    const key = metaKey(name)
    const { primary } = await pairOf(key)
    await node(primary).ask("COPY", key, `${key}:kept`)
    const lost = await one.openBatch(source, "lost file", 5)
    assert.ok((await one.catalogue()).batches.has(lost.id))
    await node(primary).ask("COPY", `${key}:kept`, key, "REPLACE")
    const other = await late.openBatch({ ...source, name: "another" }, "another file", 6)
    const further = await one.openBatch(source, "further file", 7)
    assert.notEqual(further.id, other.id)
    const { batches } = await late.catalogue()
    assert.deepEqual([batches.has(other.id), batches.get(further.id)?.state], [true, "loading"])
  })
}
