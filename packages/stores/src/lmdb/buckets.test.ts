import assert from "node:assert/strict"
import { createHash, hash } from "node:crypto"
import { cp } from "node:fs/promises"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { readdirSync, readFileSync } from "node:fs"
import { breach } from "../../testing/entry-samples-suite.ts"
import { importRows, keyOf as named, source } from "../../testing/exposure-index-process-suite.ts"
import { bucketsOf, bucketWith, cellsIn } from "../../testing/lmdb/buckets-suite.ts"
import { seen } from "../../testing/opened-index-suite.ts"
import { secondProcess, temporaryDirectory } from "../../testing/second-process-suite.ts"
import { segmentBlocks } from "../../testing/segment-samples-suite.ts"
import { cellOf, cellStart, firstOf } from "../cells.ts"
import { type ExposureIndex, IndexDamaged, type Row, type SegmentBlock } from "../exposure-index.ts"
import type { Layout } from "./bucket-layout.ts"
import { compactLmdbIndex } from "./compact.ts"
import { examineIndex } from "./examine.ts"
import { openLmdbIndex } from "./exposure-index.ts"
import { openCurrent } from "./generations.ts"

const soak = process.env["ASSAY_SOAK"] !== undefined
/**
 * Imports of half of them have more rows than the 32,768 of a first portion: that is what a move
 * takes to be under way when an import is cut short.
 */
const PEOPLE = soak ? 120_000 : 72_000

function keyOf(person: number): Uint8Array {
  return hash("sha256", `${person}`, "buffer").subarray(0, 16)
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

const opener = new URL("../../testing/lmdb/suite-opener.ts", import.meta.url)
const KILLS = soak ? 50 : 2
const IDENTITIES = 30_000

/** What is said of some identities, and of some that nobody knows. */
async function answers(index: ExposureIndex): Promise<string> {
  const all = createHash("sha256")
  for (let person = -50; person < IDENTITIES + 100; person += person % 1_000 === 0 ? 1 : 37) {
    all.update(JSON.stringify(seen(await index.lookup(named(person), null))))
  }
  return all.digest("hex")
}

test(`buckets: an import killed ${KILLS} times in the middle of its move is invisible, and repeated ends as if it never was`, async (t) => {
  const [path, beside] = [
    join(await temporaryDirectory(t), "index"),
    join(await temporaryDirectory(t), "index"),
  ]
  const first = await openLmdbIndex({ path })
  const earlier = await first.openBatch({ ...source, name: "earlier" }, "earlier", 1)
  const merged = await first.mergeSegment(
    earlier.id,
    segmentBlocks([...importRows(earlier.id, 3 * IDENTITIES)].filter((_, i) => i % 3 === 0)),
  )
  await first.goLive(earlier.id, { rows: merged.identities, identities: merged.identities }, 2)
  await first.close()
  await cp(path, beside, { recursive: true })
  const [index, undisturbed] = [
    await openLmdbIndex({ path }),
    await openLmdbIndex({ path: beside }),
  ]
  const indexes = [index, undisturbed]
  t.after(() => Promise.all(indexes.map((each) => each.close())))
  const { id } = await undisturbed.openBatch(source, "file", 1)
  const blocks = segmentBlocks([...importRows(id, IDENTITIES)])
  const { rows, identities } = await undisturbed.mergeSegment(id, blocks)
  await undisturbed.goLive(id, { rows, identities: IDENTITIES }, 2)
  assert.equal(identities, IDENTITIES)

  const before = await answers(index)
  const on = openCurrent(path, false, 2 ** 40)
  t.after(() => on.close())
  const command = { verb: "segment", fingerprint: "file", identities: IDENTITIES } as const
  let inTheMiddle = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const other = await secondProcess(t, opener, path)
    other.tell(command)
    // The first sixteen blocks are in the index when one more is asked for.
    let left = 17 + ((5 * kill) % 13)
    await other.said(() => --left === 0)
    await other.kill()
    const { next } = bucketsOf(on).layoutAt(on.single.at)
    on.single.end()
    if (next !== null && next.upTo > 0) inTheMiddle++
    assert.equal(await answers(index), before)
    // Whoever is changed by itself meanwhile is changed where the bucket now is.
    for (const person of [2 * kill, IDENTITIES - 2 * kill]) {
      await Promise.all([index, undisturbed].map((each) => each.erase(named(-1_000 - person))))
    }
  }
  assert.ok(inTheMiddle > 0, `${inTheMiddle}`)
  const other = await secondProcess(t, opener, path)
  other.tell(command)
  await other.said((answer) => answer === "live")
  assert.notEqual(await answers(index), before)
  assert.equal(await answers(index), await answers(undisturbed))
  assert.deepEqual([...(await examineIndex(path, () => undefined)).faults], [])
  const counts = await Promise.all(indexes.map(async (each) => (await each.stats()).identities))
  assert.equal(counts[0], counts[1])
})

test("buckets: identities that come one by one are spread over as many cells as they need", async (t) => {
  const path = join(await temporaryDirectory(t), "index")
  const index = await openLmdbIndex({ path })
  t.after(() => index.close())
  const { id } = await index.openBatch(source, "file", 1)
  await index.merge(id, importRows(id, 6_000))
  await index.goLive(id, { rows: 6_000, identities: 6_000 }, 2)
  const { identities } = await index.stats()
  assert.equal(identities, 6_000)
  assert.ok(identities / cellsIn(path) < 200, `${cellsIn(path)}`)
  for (let person = 0; person < 6_000; person += 7) {
    assert.ok((await index.lookup(named(person), null)).entries.length > 0)
    assert.equal((await index.lookup(named(-person - 1), null)).entries.length, 0)
  }
  assert.deepEqual([...(await examineIndex(path, () => undefined)).faults], [])
})

test("buckets: one identity of many rows at the beginning makes no more cells than the others need", async (t) => {
  const path = join(await temporaryDirectory(t), "index")
  const index = await openLmdbIndex({ path })
  t.after(() => index.close())
  const { id } = await index.openBatch(source, "file", 1)
  const first = Buffer.alloc(16, 1)
  first.writeUInt32BE(10)
  const entries = Array.from({ length: 40_000 }, (_, n) => ({ ...breach, hours: n, batchId: id }))
  const rows = [{ key: first, entries }, ...importRows(id, 5_000)]
  const { identities } = await index.mergeSegment(id, segmentBlocks(rows))
  await index.goLive(id, { rows: rows.length, identities }, 2)
  assert.equal(identities, 5_001)
  const cells = cellsIn(path)
  assert.ok(cells > 20 && cells < 1_000, `${cells}`)
  assert.equal((await index.lookup(first, null)).cut, 40_000 - 256)
  assert.deepEqual([...(await examineIndex(path, () => undefined)).faults], [])
})

/** An index of some thousand identities in a live batch, open. */
async function filledIndex(
  t: TestContext,
): Promise<{ path: string; index: ExposureIndex; on: ReturnType<typeof openCurrent> }> {
  const path = join(await temporaryDirectory(t), "index")
  const index = await openLmdbIndex({ path })
  t.after(() => index.close())
  const { id } = await index.openBatch(source, "file", 1)
  await index.mergeSegment(id, segmentBlocks([...importRows(id, 5_000)]))
  await index.goLive(id, { rows: 5_000, identities: 5_000 }, 2)
  const on = openCurrent(path, false, 2 ** 40)
  t.after(() => on.close())
  return { path, index, on }
}

/** Of whom each is in a cell, known or not, and of all others who are known. */
async function asked(
  index: ExposureIndex,
  cells: number,
  cell: number,
): Promise<Record<"known" | "unknown" | "others", { refused: number; right: number }>> {
  const counts = {
    known: { refused: 0, right: 0 },
    unknown: { refused: 0, right: 0 },
    others: { refused: 0, right: 0 },
  }
  for (let person = -5_000; person < 5_000; person++) {
    const key = named(person)
    const isThere = cellOf(firstOf(key), cells) === cell
    if (!isThere && person % 10 !== 0) continue
    const count = !isThere ? counts.others : person >= 0 ? counts.known : counts.unknown
    await index.lookup(key, null).then(
      ({ entries, erased }) => {
        if (erased) return
        assert.equal(entries.length > 0, person >= 0)
        count.right++
      },
      (error: unknown) => {
        assert.ok(error instanceof IndexDamaged)
        count.refused++
      },
    )
  }
  return counts
}

test("buckets: one that is missing is damage to its cell alone, and one too many is a fault", async (t) => {
  const { path, index, on } = await filledIndex(t)
  const buckets = bucketsOf(on)
  const { cell, cells, side, bytes } = bucketWith(buckets, named(3))
  await on.root.transaction(() => {
    buckets.removeBucket(side, cell)
  })
  const { known, unknown, others } = await asked(index, cells, cell)
  assert.ok(known.refused > 1 && unknown.refused > 1)
  assert.deepEqual([known.right, unknown.right, others.refused], [0, 0, 0])
  const { faults } = await examineIndex(path, () => undefined)
  assert.equal(faults.get("shared: a part whose identities cannot be read or were lost"), 1)
  assert.equal(faults.get("shared: a bucket too many or too few"), 1)
  await assert.rejects(compactLmdbIndex({ path }), IndexDamaged)
  assert.ok((await index.sample(5_000)).faults > 0)

  await on.root.transaction(() => {
    buckets.putBucket(side, cell, bytes, false)
    buckets.putBucket(side, cells, bytes, false)
  })
  assert.equal((await asked(index, cells, cell)).known.refused, 0)
  assert.deepEqual(
    [...(await examineIndex(path, () => undefined)).faults],
    [["shared: a bucket too many or too few", 1]],
  )
})

test("buckets: who is in one that cannot be read can be erased, and the others of it stay refused", async (t) => {
  const { path, index, on } = await filledIndex(t)
  const buckets = bucketsOf(on)
  const { cell, cells, side, bytes } = bucketWith(buckets, named(3))
  await on.root.transaction(() => {
    bytes[2] = (bytes[2] as number) ^ 1
    buckets.putBucket(side, cell, bytes, false)
  })
  await index.erase(named(3))
  assert.equal((await index.lookup(named(3), null)).erased, true)
  const refused = async (): Promise<void> => {
    const { known, unknown, others } = await asked(index, cells, cell)
    assert.ok(known.refused > 1 && unknown.refused > 1)
    assert.deepEqual([known.right, unknown.right, others.refused], [0, 0, 0])
  }
  await refused()
  const fault = "shared: a part whose identities cannot be read or were lost"
  assert.equal((await examineIndex(path, () => undefined)).faults.get(fault), 1)

  // Nothing is added to the cell: who was lost may have been erased.
  const neighbour = [...Array(5_000).keys()].find(
    (person) => person !== 3 && cellOf(firstOf(named(person)), cells) === cell,
  )
  assert.ok(neighbour !== undefined)
  const { id } = await index.openBatch({ ...source, name: "more" }, "more", 3)
  const rowsOf = (person: number): Row[] => [
    { key: named(person), entries: [{ ...breach, batchId: id }] },
  ]
  await assert.rejects(index.merge(id, rowsOf(neighbour)), IndexDamaged)
  await assert.rejects(index.mergeSegment(id, segmentBlocks(rowsOf(neighbour))), IndexDamaged)
  await assert.rejects(
    index.mergeSegment(id, segmentBlocks([...importRows(id, 5_000)])),
    IndexDamaged,
  )
  const elsewhere = [...Array(5_000).keys()].find(
    (person) => Math.abs(cellOf(firstOf(named(person)), cells) - cell) > 20,
  )
  assert.ok(elsewhere !== undefined)
  await index.mergeSegment(id, segmentBlocks(rowsOf(elsewhere)))
  await index.goLive(id, { rows: 1, identities: 1 }, 4)
  await refused()
})

test("buckets: in the middle of a move past one that cannot be read, others are added and erased, and the move waits", async (t) => {
  const { index, on } = await filledIndex(t)
  const buckets = bucketsOf(on)
  const { id } = await index.openBatch({ ...source, name: "cut" }, "cut", 3)
  const rows = segmentBlocks([...importRows(id, soak ? 24_000 : 18_000)])
  await assert.rejects(index.mergeSegment(id, cut(rows, 17)))
  const layout = (): Layout => {
    on.root.resetReadTxn()
    return buckets.layoutAt()
  }
  const { side, cells, next } = layout()
  assert.ok(next !== null && next.upTo > 0)
  const unmoved = cellOf(cellStart(next.upTo, next.cells), cells) + 1
  assert.ok(unmoved < cells)
  const lent = buckets.bucket(side, unmoved, cells)
  const whole = Buffer.from(Uint8Array.prototype.slice.call(lent, 0, lent.length))
  const put = (bytes: Buffer): Promise<unknown> =>
    on.root.transaction(() => {
      buckets.putBucket(side, unmoved, bytes, false)
    })
  await put(whole.subarray(0, 5))
  const strangers = Array.from({ length: 50 }, (_, n) => named(-1 - n)).filter(
    (key) => cellOf(firstOf(key), cells) !== unmoved,
  )
  const own = await index.openBatch({ ...source, name: "own" }, "own", 3)
  const row = (key: Uint8Array): Row => ({ key, entries: [{ ...breach, batchId: own.id }] })
  const [one, another, third] = strangers as [Uint8Array, Uint8Array, Uint8Array]
  await index.merge(own.id, [row(one)])
  await index.erase(another)
  assert.deepEqual(layout().next, next)
  await index.goLive(own.id, { rows: 1, identities: 1 }, 4)
  assert.equal((await index.lookup(one, null)).entries.length, 1)
  assert.equal((await index.lookup(another, null)).erased, true)
  await put(whole)
  await index.erase(third)
  assert.ok((layout().next?.upTo ?? Infinity) > next.upTo)
  assert.equal((await index.lookup(one, null)).entries.length, 1)
})

test("buckets: a copy of an index in which some were lost refuses them too, however often it is copied", async (t) => {
  const { path, index, on } = await filledIndex(t)
  const buckets = bucketsOf(on)
  const { cell, cells, side, bytes } = bucketWith(buckets, named(3))
  await on.root.transaction(() => {
    buckets.putBucket(side, cell, bytes.subarray(0, 4), false)
  })
  await index.erase(named(3))
  for (let copies = 0; copies < 2; copies++) {
    await compactLmdbIndex({ path })
    const { known, unknown, others } = await asked(index, cells, cell)
    assert.deepEqual([known.right, unknown.right], [0, 0])
    assert.ok(known.refused > 1 && unknown.refused > 1)
    // Cells of the copy lie elsewhere, so that some beside the old one are not called unknown.
    assert.ok(others.right > 900 && others.refused < 90, JSON.stringify(others))
    assert.equal((await index.lookup(named(3), null)).erased, true)
  }
})

test("buckets: what was erased is in no file once the index was compacted, also after a move", async (t) => {
  const { path, index } = await filledIndex(t)
  const { id } = await index.openBatch({ ...source, name: "items" }, "items", 1)
  const remnant = "remnant-of-nobody.example"
  const entries = [{ ...breach, item: remnant, batchId: id }]
  await index.merge(id, [{ key: named(3), entries }])
  await index.goLive(id, { rows: 1, identities: 1 }, 2)
  const isInFiles = (): boolean =>
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .some((file) => readFileSync(join(file.parentPath, file.name)).includes(remnant))
  assert.ok(isInFiles())
  await index.erase(named(3))
  const more = await index.openBatch({ ...source, name: "more" }, "more", 1)
  await index.mergeSegment(more.id, segmentBlocks([...importRows(more.id, 12_000)]))
  await index.goLive(more.id, { rows: 12_000, identities: 12_000 }, 2)
  assert.equal((await index.lookup(named(3), null)).erased, true)
  await compactLmdbIndex({ path })
  assert.ok(!isInFiles())
  assert.equal((await index.lookup(named(3), null)).erased, true)
})

test("buckets: imports over imports, whole and cut short in a move, leave what a map would have", async (t) => {
  const path = join(await temporaryDirectory(t), "index")
  const index = await openLmdbIndex({ path })
  t.after(() => index.close())
  const on = openCurrent(path, false, 2 ** 40)
  t.after(() => on.close())
  const expected = new Map<number, Set<number>>()
  const erased = new Set<number>()
  const steps = [
    { from: 0, to: soak ? 70_000 : 42_000, every: 1 },
    { from: 100, to: PEOPLE, every: 2, cutAfter: soak ? 20 : 17 },
    { from: 0, to: PEOPLE, every: 97 },
    { from: soak ? 50_000 : 30_000, to: PEOPLE, every: 1, cutAfter: soak ? 33 : 19 },
    { from: 7, to: PEOPLE, every: 1 },
    { from: 3, to: PEOPLE, every: 1_009 },
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
      isMoving ||= bucketsOf(on).layoutAt(on.single.at).next !== null
      on.single.end()
      assert.deepEqual([...(await examineIndex(path, () => undefined)).faults], [])
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
