import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { test } from "node:test"
import { breach } from "../../testing/entry-samples-suite.ts"
import { source } from "../../testing/exposure-index-process-suite.ts"
import { temporaryDirectory } from "../../testing/second-process-suite.ts"
import { segmentBlocks } from "../../testing/segment-samples-suite.ts"
import type { SegmentBlock } from "../exposure-index.ts"
import { Buckets } from "./buckets.ts"
import { examineIndex } from "./examine.ts"
import { openLmdbIndex } from "./exposure-index.ts"
import { openCurrent } from "./generations.ts"

const PEOPLE = 120_000

function keyOf(person: number): Uint8Array {
  return createHash("sha256").update(`${person}`).digest().subarray(0, 16)
}

/** Ends after some blocks as a read that fails does. */
async function* cut(
  blocks: AsyncIterable<SegmentBlock>,
  after: number,
): AsyncGenerator<SegmentBlock> {
  let left = after
  for await (const block of blocks) {
    if (left-- <= 0) throw new Error("cut")
    yield block
  }
}

test("buckets: imports over imports, whole and cut short in a move, leave what a map would have", async (t) => {
  const path = join(await temporaryDirectory(t), "index")
  const index = await openLmdbIndex({ path })
  t.after(() => index.close())
  const on = openCurrent(path, false, 2 ** 40)
  t.after(() => on.close())
  const expected = new Map<number, Set<number>>()
  const erased = new Set<number>()
  const steps = [
    { from: 0, to: 70_000, every: 1 },
    { from: 100, to: 120_000, every: 2, cutAfter: 20 },
    { from: 0, to: 120_000, every: 97 },
    { from: 50_000, to: 120_000, every: 1, cutAfter: 33 },
    { from: 7, to: 120_000, every: 1 },
    { from: 3, to: 120_000, every: 1_009 },
  ]
  let isMoving = false
  for (const [step, { from, to, every, cutAfter }] of steps.entries()) {
    const { id } = await index.openBatch({ ...source, name: `${step}` }, `${step}`, 1)
    const people: number[] = []
    for (let person = from; person < to; person += every) people.push(person)
    const entry = { ...breach, batchId: id, hours: 1_000 + step }
    const rows = people.map((person) => ({ key: keyOf(person), entries: [entry] }))
    if (cutAfter !== undefined) {
      await assert.rejects(index.mergeSegment(id, cut(segmentBlocks(rows), cutAfter)))
      isMoving ||= (on.shared as Buckets).layoutAt(on.single.at).next !== null
      on.single.end()
      await index.erase(keyOf(from))
      erased.add(from)
    } else {
      const merged = await index.mergeSegment(id, segmentBlocks(rows))
      assert.equal(merged.rows, rows.length)
      await index.goLive(id, { rows: rows.length, identities: rows.length }, 2)
      for (const person of people) {
        expected.set(person, (expected.get(person) ?? new Set()).add(1_000 + step))
      }
    }
    await index.erase(keyOf(step * 11))
    erased.add(step * 11)
    for (let person = 0; person < PEOPLE + 1_000; person += 13) {
      const found = await index.lookup(keyOf(person), null)
      const hours = erased.has(person) ? [] : [...(expected.get(person) ?? [])]
      assert.deepEqual(
        [found.entries.map((each) => each.hours), found.erased],
        [hours, erased.has(person)],
      )
    }
  }
  assert.equal(isMoving, true)
  const { identities } = await index.stats()
  const { faults, sets } = await examineIndex(path, () => undefined)
  assert.deepEqual([...faults], [])
  assert.equal(sets, identities)
  assert.ok(identities >= PEOPLE - 7)
})
