import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { keyOf, source } from "../../testing/exposure-index-process-suite.ts"
import { IndexUnavailable, type ExposureIndex } from "../exposure-index.ts"
import { days, importedBatch, row } from "../../testing/opened-index-suite.ts"
import { readClusterPlace } from "./cluster-place.ts"
import { clusterForFile } from "../../testing/redis/cluster-suite.ts"
import type { MarkedIndex } from "../index-place.ts"
import { openRedisIndex } from "./exposure-index.ts"
import { layoutOf, metaKey } from "./layout.ts"
import { until, type TestCluster, type TestNode } from "../../testing/redis/test-cluster.ts"

const BITS = 6
const cluster = await clusterForFile()
if (cluster !== null) testOn(cluster)

function testOn(cluster: TestCluster): void {
  const place = readClusterPlace(cluster.urls)
  assert.ok(place !== null)
  let opened = 0
  const newName = (): string => `faults-${++opened}`
  const open = async (t: TestContext, name: string, timeoutMs = 10_000): Promise<MarkedIndex> => {
    const index = await openRedisIndex({ place, name, bucketBits: BITS, timeoutMs })
    t.after(() => index.close())
    return index
  }
  const bucketKeyOf = (name: string, key: Uint8Array): string => {
    const layout = layoutOf(name, BITS)
    return layout.bucketKey(layout.bucketOf(key))
  }
  const nodeOf = async (name: string, key: Uint8Array): Promise<number> =>
    cluster.nodeOf(bucketKeyOf(name, key))
  const node = (number: number): TestNode => cluster.nodes[number] as TestNode

  /**
   * An index with one live batch about some identities, and a node that has some of them but not
   * the catalogue.
   */
  const imported = async (t: TestContext) => {
    const name = newName()
    const index = await open(t, name)
    const keys = Array.from({ length: 60 }, (_, i) => keyOf(i))
    await importedBatch(index, "file", keys)
    const catalogueNode = await cluster.nodeOf(metaKey(name))
    const lost = (catalogueNode + 1) % 3
    const numbers = await Promise.all(
      Array.from({ length: 120 }, async (_, i) => [i, await nodeOf(name, keyOf(i))] as const),
    )
    const there = numbers.filter(([, on]) => on === lost).map(([i]) => i)
    const elsewhere = numbers.filter(([, on]) => on !== lost).map(([i]) => i)
    assert.ok(there.some((i) => i < 60) && there.some((i) => i >= 60) && elsewhere.length > 0)
    return { name, index, catalogueNode, lost, there, elsewhere }
  }
  const assertServed = async (index: ExposureIndex, numbers: readonly number[]): Promise<void> => {
    for (const i of numbers) {
      assert.equal((await index.lookup(keyOf(i), null)).entries.length, i < 60 ? 1 : 0)
    }
  }
  const assertUnavailable = async (
    index: ExposureIndex,
    numbers: readonly number[],
  ): Promise<void> => {
    for (const i of numbers) await assert.rejects(index.lookup(keyOf(i), null), IndexUnavailable)
  }

  test("redis: an emptied node leaves all its identities unavailable, known or not, and no others", async (t) => {
    const { index, lost, there, elsewhere } = await imported(t)
    await node(lost).ask("FLUSHALL")
    await assertUnavailable(index, there)
    await assertServed(index, elsewhere)
    const { id } = await index.openBatch(source, "another file", 3)
    const rows = there.map((i) => row(keyOf(i), id))
    await assert.rejects(index.merge(id, rows), IndexUnavailable)
    await assert.rejects(index.erase(keyOf(there[0] ?? 0)), IndexUnavailable)
    await assert.rejects(index.stats(), IndexUnavailable)
    await assert.rejects(index.sample(1000), IndexUnavailable)
    await assertUnavailable(index, there)
  })

  test("redis: with the catalogue lost nobody is answered, and what is left is not taken for a new index", async (t) => {
    const { name, index, catalogueNode, there, elsewhere } = await imported(t)
    await node(catalogueNode).ask("FLUSHALL")
    await assertUnavailable(index, [...there.slice(0, 3), ...elsewhere.slice(0, 3)])
    await assert.rejects(index.ping(), IndexUnavailable)
    for (let again = 0; again < 2; again++) await assert.rejects(open(t, name), IndexUnavailable)
  })

  test("redis: a killed node is unavailable, the others are served, and it comes back with what it had", async (t) => {
    const { index, lost, there, elsewhere } = await imported(t)
    await node(lost).kill()
    await assertUnavailable(index, there.slice(0, 5))
    await assertServed(index, elsewhere.slice(0, 20))
    const other = await open(t, newName()).catch((error: unknown) => error)
    assert.ok(other instanceof IndexUnavailable)
    await node(lost).start()
    await until(async () => (await index.lookup(keyOf(there[0] ?? 0), null)).entries.length > 0)
    await assertServed(index, [...there, ...elsewhere])
  })

  test("redis: a service that starts while a node is down serves the others, and that one when it is back", async (t) => {
    const { name, lost, there, elsewhere } = await imported(t)
    await node(lost).kill()
    const late = await open(t, name)
    await assertServed(late, elsewhere.slice(0, 20))
    await assertUnavailable(late, there.slice(0, 5))
    await node(lost).start()
    await until(async () => (await late.lookup(keyOf(there[0] ?? 0), null)).entries.length > 0)
    await assertServed(late, there)
  })

  test("redis: a node that hangs is unavailable after the time limit, and answers again when it goes on", async (t) => {
    const { name, lost, there, elsewhere } = await imported(t)
    const index = await open(t, name, 200)
    const served = (numbers: readonly number[]): Promise<void> =>
      until(() => assertServed(index, numbers).then(() => true))
    await served(there)
    node(lost).pause()
    await assertUnavailable(index, there.slice(0, 3))
    await served(elsewhere.slice(0, 5))
    node(lost).resume()
    await served(there)
  })

  test("redis: a bucket of another index, and a value that is none, are never read as an unknown identity", async (t) => {
    const name = newName()
    const index = await open(t, name)
    const alice = keyOf(-1)
    await importedBatch(index, "file", [alice])
    const key = bucketKeyOf(name, alice)
    const on = node(await cluster.nodeOf(key))
    const field = Buffer.from(layoutOf(name, BITS).sharedField(alice)).toString("latin1")
    for (const value of ["", "\u0000\u0008\u0000", "\u007f".repeat(40)]) {
      const escaped = field.replaceAll(/[^]/g, (c) => `\\${c.charCodeAt(0)}`)
      const script = `redis.call('HSET', KEYS[1], '${escaped}', ARGV[1])`
      await on.ask("EVAL", script, "1", key, value)
      await assert.rejects(index.lookup(alice, null), IndexUnavailable)
      assert.deepEqual(await index.sample(200), { read: 1, faults: 1 })
    }
    await on.ask("HSET", key, "m", "another")
    await assert.rejects(index.lookup(alice, null), IndexUnavailable)
    await assert.rejects(
      index.lookup(keyOf(-2), null).then(() => index.stats()),
      IndexUnavailable,
    )
  })

  test("redis: a heavy identity has a key of its own, whose loss is noticed, and its bucket stays compact", async (t) => {
    const name = newName()
    const index = await open(t, name)
    const alice = keyOf(-1)
    await importedBatch(index, "file", [alice])
    const key = bucketKeyOf(name, alice)
    const on = node(await cluster.nodeOf(key))
    const heavyKeys = async (): Promise<string[]> => (await on.ask("KEYS", `${key}:*`)) as string[]
    assert.deepEqual(await heavyKeys(), [])
    const { id } = await index.openBatch(source, "many", 3)
    await index.merge(id, [{ key: alice, entries: days(300, id, "stealer") }])
    await index.goLive(id, { rows: 300, identities: 1 }, 4)
    assert.equal((await index.lookup(alice, null)).entries.length, 256)
    assert.deepEqual(await index.sample(200), { read: 1, faults: 0 })
    assert.equal(await on.ask("OBJECT", "ENCODING", key), "listpack")
    const [heavy] = await heavyKeys()
    assert.ok(heavy !== undefined)

    await on.ask("DEL", heavy)
    await assert.rejects(index.lookup(alice, null), IndexUnavailable)
    const { id: more } = await index.openBatch(source, "more", 5)
    await assert.rejects(index.merge(more, [row(alice, more)]), IndexUnavailable)
    // Erasing does not need to read what is lost.
    await index.erase(alice)
    assert.equal((await index.lookup(alice, null)).erased, true)
  })

  test("redis: a heavy value that was altered is unavailable", async (t) => {
    const name = newName()
    const index = await open(t, name)
    const alice = keyOf(-1)
    const { id } = await index.openBatch(source, "many", 3)
    await index.merge(id, [{ key: alice, entries: days(300, id, "stealer") }])
    await index.goLive(id, { rows: 300, identities: 1 }, 4)
    const key = bucketKeyOf(name, alice)
    const on = node(await cluster.nodeOf(key))
    const [heavy] = (await on.ask("KEYS", `${key}:*`)) as string[]
    assert.ok(heavy !== undefined)
    await on.ask("SETRANGE", heavy, "100", "x")
    await assert.rejects(index.lookup(alice, null), IndexUnavailable)
  })

  test("redis: a heavy identity that is erased, or whose batch is gone, leaves no key behind", async (t) => {
    const name = newName()
    const index = await open(t, name)
    const alice = keyOf(-1)
    const key = bucketKeyOf(name, alice)
    const on = node(await cluster.nodeOf(key))
    const { id } = await index.openBatch(source, "many", 1)
    await index.merge(id, [{ key: alice, entries: days(300, id, "stealer") }])
    assert.equal(((await on.ask("KEYS", `${key}:*`)) as string[]).length, 1)
    await index.removeBatch(id, 2)
    await importedBatch(index, "file", [alice])
    assert.deepEqual(await on.ask("KEYS", `${key}:*`), [])
    assert.equal((await index.lookup(alice, null)).entries.length, 1)
    const { id: more } = await index.openBatch(source, "more", 3)
    await index.merge(more, [{ key: alice, entries: days(300, more, "stealer") }])
    await index.erase(alice)
    assert.deepEqual(await on.ask("KEYS", `${key}:*`), [])
    assert.equal((await index.lookup(alice, null)).erased, true)
  })

  test("redis: a newer format is refused, and where nothing is a reader finds nothing and leaves nothing", async (t) => {
    const name = newName()
    await open(t, name)
    const on = node(await cluster.nodeOf(metaKey(name)))
    await on.ask("HSET", metaKey(name), "format", "99")
    await assert.rejects(open(t, name), { code: "newer-format" })
    const none = newName()
    const reader = openRedisIndex({ place, name: none, bucketBits: BITS, readOnly: true })
    await assert.rejects(reader, IndexUnavailable)
    const there = node(await cluster.nodeOf(metaKey(none)))
    assert.equal(await there.ask("EXISTS", metaKey(none)), 0)
  })

  test("redis: a reader follows the writer and cannot write", async (t) => {
    const name = newName()
    const writer = await open(t, name)
    const reader = await openRedisIndex({ place, name, readOnly: true })
    t.after(() => reader.close())
    const batchId = await importedBatch(writer, "file", [keyOf(1)])
    assert.equal((await reader.lookup(keyOf(1), null)).entries.length, 1)
    await assert.rejects(reader.openBatch(source, "file 2", 1), IndexUnavailable)
    await assert.rejects(reader.removeBatch(batchId, 1), IndexUnavailable)
    await assert.rejects(reader.erase(keyOf(1)), IndexUnavailable)
    await assert.rejects(reader.checkKeyCheckValue("a"), IndexUnavailable)
    assert.equal((await writer.lookup(keyOf(1), null)).entries.length, 1)
  })

  test("redis: writers of one bucket at once lose nothing of each other", async (t) => {
    const name = newName()
    const writers = await Promise.all([open(t, name), open(t, name), open(t, name)])
    const keys = Array.from({ length: 200 }, (_, i) => keyOf(i))
    await Promise.all(writers.map((writer, i) => importedBatch(writer, `file ${i}`, keys)))
    const index = await open(t, name)
    for (const key of keys) assert.equal((await index.lookup(key, null)).entries.length, 3)
  })

  // Last, because it moves a part of the cluster to another node.
  test("redis: buckets that move to another node are followed, while they move and after", async (t) => {
    const { name, index, lost, there } = await imported(t)
    const moving = there.find((i) => i < 60) ?? 0
    const key = bucketKeyOf(name, keyOf(moving))
    const [from, to] = [node(lost), node((lost + 1) % 3)]
    const [fromId, toId] = (await Promise.all([
      from.ask("CLUSTER", "MYID"),
      to.ask("CLUSTER", "MYID"),
    ])) as [string, string]
    const slot = String(await from.ask("CLUSTER", "KEYSLOT", key))
    await to.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", fromId)
    await from.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", toId)
    const keys = (await from.ask("CLUSTER", "GETKEYSINSLOT", slot, "1000")) as string[]
    const port = place.nodes[(lost + 1) % 3]?.port ?? 0
    await from.ask("MIGRATE", "127.0.0.1", String(port), "", "0", "5000", "KEYS", ...keys)
    await assertServed(index, [moving])
    for (const each of [to, from, node((lost + 2) % 3)]) {
      await each.ask("CLUSTER", "SETSLOT", slot, "NODE", toId)
    }
    await assertServed(index, there)
    await index.erase(keyOf(moving))
    assert.equal((await index.lookup(keyOf(moving), null)).erased, true)
  })
}
