import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { breach } from "../../testing/entry-samples-suite.ts"
import { keyOf, source } from "../../testing/exposure-index-process-suite.ts"
import { days } from "../../testing/opened-index-suite.ts"
import { clusterForFile } from "../../testing/redis/cluster-suite.ts"
import { segmentBlocks } from "../../testing/segment-samples-suite.ts"
import type { ExposureIndex, MergedSegment, Row } from "../exposure-index.ts"
import { readClusterPlace } from "./cluster-place.ts"
import { openRedisIndex } from "./exposure-index.ts"
import { FILL_FIELDS_MAX } from "./scripts.ts"

const BITS = 6
/** More of one bucket than one command takes, beside others of every bucket. */
const CROWD = 2 * FILL_FIELDS_MAX + 3
const OTHERS = 1_000
const HEAVY = [3, 12]
const ERASED = [6, 15, OTHERS + 6]

/** Keys of the crowd begin alike; every third identity is in the first import too. */
const keys = Array.from({ length: OTHERS + CROWD }, (_, i) => {
  const key = Buffer.from(keyOf(i))
  if (i >= OTHERS) key[0] = 0x40
  return key
})
const first = (id: number): Row[] =>
  keys.filter((_, i) => i % 3 === 0).map((key) => ({ key, entries: [{ ...breach, batchId: id }] }))
const second = (id: number): Row[] =>
  keys.map((key, i) => ({
    key,
    entries: HEAVY.includes(i) ? days(300, id, "stealer") : [{ ...breach, batchId: id }],
  }))

const cluster = await clusterForFile()
if (cluster !== null) {
  let indexes = 0
  const open = async (t: TestContext): Promise<ExposureIndex> => {
    const place = readClusterPlace(cluster.urls) ?? assert.fail()
    const name = `segments-${++indexes}`
    const index = await openRedisIndex({ place, name, bucketBits: BITS, timeoutMs: 10_000 })
    t.after(() => index.close())
    return index
  }
  /** An index with the first import, from which some were erased; and the batch of the second. */
  const filled = async (t: TestContext): Promise<{ index: ExposureIndex; id: number }> => {
    const index = await open(t)
    const { id: earlier } = await index.openBatch(source, "first", 1)
    await index.mergeSegment(earlier, segmentBlocks(first(earlier)))
    await index.goLive(earlier, { rows: 0, identities: 0 }, 2)
    for (const i of ERASED) await index.erase(keys[i] ?? assert.fail())
    const { id } = await index.openBatch(source, "second", 3)
    return { index, id }
  }
  const answers = async (index: ExposureIndex): Promise<string[]> => {
    const last = [...(await index.catalogue()).batches.values()].at(-1) ?? assert.fail()
    await index.goLive(last.id, { rows: 0, identities: 0 }, 4)
    const found = await Promise.all(keys.map((key) => index.holdings(key)))
    return found.map(({ entries, cut, erased }) => JSON.stringify({ entries, cut, erased }))
  }
  const ROWS = keys.length - HEAVY.length + 300 * HEAVY.length
  // Those of the first import that were neither erased nor have other entries in the second.
  const known = keys.filter((_, i) => i % 3 === 0 && !ERASED.includes(i) && !HEAVY.includes(i))
  const MERGED: MergedSegment = { rows: ROWS, identities: keys.length, known: known.length }

  test("redis: a segment over a filled index comes to what its rows one by one come to, erased and long ones included", async (t) => {
    const [whole, single] = [await filled(t), await filled(t)]
    assert.deepEqual(
      await whole.index.mergeSegment(whole.id, segmentBlocks(second(whole.id), 700)),
      MERGED,
    )
    await single.index.merge(single.id, second(single.id))
    const [got, expected] = [await answers(whole.index), await answers(single.index)]
    assert.deepEqual(got, expected)
    assert.match(got[1] ?? "", /"entries":\[\{"kind":"breach"/)
    assert.match(got[ERASED[0] ?? 0] ?? "", /"entries":\[\],"cut":0,"erased":true/)
    assert.match(got[HEAVY[0] ?? 0] ?? "", /"cut":4[4-5],/)
    const [a, b] = [await whole.index.stats(), await single.index.stats()]
    assert.deepEqual(a.identities, b.identities)
    assert.equal((await whole.index.sample(keys.length)).faults, 0)
  })

  test("redis: a segment of which a part is there already is completed by the same again, which counts the same", async (t) => {
    const [part, whole] = [await filled(t), await filled(t)]
    // The last of one bucket's crowd are not.
    await part.index.merge(part.id, second(part.id).slice(0, keys.length - 100))
    for (let again = 0; again < 2; again++) {
      const merged = await part.index.mergeSegment(part.id, segmentBlocks(second(part.id)))
      assert.deepEqual(merged, MERGED)
    }
    await whole.index.mergeSegment(whole.id, segmentBlocks(second(whole.id)))
    assert.deepEqual(await answers(part.index), await answers(whole.index))
  })

  test("redis: two segments about the same identities that are merged at once lose nothing of each other", async (t) => {
    const { index, id } = await filled(t)
    const { id: other } = await index.openBatch({ ...source, name: "other" }, "third", 3)
    const merged = await Promise.all([
      index.mergeSegment(id, segmentBlocks(second(id))),
      index.mergeSegment(other, segmentBlocks(second(other))),
    ])
    for (const { identities } of merged) assert.equal(identities, keys.length)
    for (const each of [id, other]) await index.goLive(each, { rows: 0, identities: 0 }, 4)
    for (const [i, key] of keys.entries()) {
      if (ERASED.includes(i)) continue
      const { entries } = await index.holdings(key)
      for (const each of [id, other])
        assert.ok(
          entries.some(({ batchId }) => batchId === each),
          `${i} lacks ${each}`,
        )
    }
  })
}
