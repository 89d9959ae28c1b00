import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { MalformedBytes } from "../src/bytes.ts"
import { anyEntry, breach } from "./entry-samples-suite.ts"
import { importRows, keyOf, source } from "./exposure-index-process-suite.ts"
import {
  BatchRefused,
  type ExposureIndex,
  type MergedSegment,
  type Row,
  type SegmentBlock,
} from "../src/exposure-index.ts"
import { days, importedBatch, type OpenNew, row, seen } from "./opened-index-suite.ts"
import { secondProcess } from "./second-process-suite.ts"
import { blockOf, segmentBlocks, sortedRows } from "./segment-samples-suite.ts"

const alice = keyOf(-1)
const bob = keyOf(-2)

/** The part of the index's suite about segments and sources. */
export function segmentSuite(engine: string, opened: OpenNew, opener: URL): void {
  test(`${engine}: a segment's rows are seen when its batch is live, and merging it again changes nothing`, async (t) => {
    const { index } = await opened(t)
    const { id } = await index.openBatch(source, "file", 1)
    const rows: Row[] = [
      { key: alice, entries: days(3, id, "stealer") },
      { key: bob, entries: [{ ...breach, item: "shop.example", value: -4, batchId: id }] },
    ]
    for (let again = 0; again < 2; again++) {
      const heard: number[] = []
      const merged = await index.mergeSegment(id, segmentBlocks(rows, 2), (n) => heard.push(n))
      assert.deepEqual(merged, { rows: 4, identities: 2, known: 0 })
      assert.equal(
        heard.reduce((sum, n) => sum + n, 0),
        4,
      )
      assert.deepEqual((await index.lookup(alice, null)).entries, [])
    }
    await index.goLive(id, { rows: 4, identities: 2 }, 2)
    const { entries, erased } = await index.lookup(alice, null)
    assert.deepEqual(
      entries,
      days(3, id, "stealer").map((entry) => ({ ...entry, owner: "shared" })),
    )
    assert.equal(erased, false)
    const { entries: other } = await index.lookup(bob, null)
    assert.deepEqual(
      other.map(({ item, value }) => ({ item, value })),
      [{ item: "shop.example", value: -4 }],
    )
    assert.deepEqual((await index.lookup(keyOf(-3), null)).entries, [])
    assert.equal((await index.stats()).identities, 2)
  })

  test(`${engine}: a segment and the same rows one by one come to the same`, async (t) => {
    const keys = [alice, bob, keyOf(-3), keyOf(-4)]
    const anyRows = fc.array(
      fc.record({
        key: fc.constantFrom(...keys),
        entries: fc.array(anyEntry(fc.constant(1)), { maxLength: 5 }),
      }),
      { maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(anyRows, anyRows, anyRows),
        fc.integer({ min: 1, max: 4 }),
        async (batches, blockRows) => {
          const answers = async (
            merge: (index: ExposureIndex, id: number, rows: Row[]) => Promise<unknown>,
          ): Promise<string> => {
            const { index } = await opened(t)
            for (const [i, given] of batches.entries()) {
              const { id } = await index.openBatch(source, `file ${i}`, 1)
              await merge(index, id, ofBatch(given, id))
              await index.goLive(id, { rows: 0, identities: 0 }, 2)
              if (i === 0) await index.removeBatch(id, 3)
            }
            const found = await Promise.all(keys.map((key) => index.lookup(key, null)))
            await index.close()
            return JSON.stringify(found.map(seen))
          }
          assert.equal(
            await answers((index, id, rows) =>
              index.mergeSegment(id, segmentBlocks(rows, blockRows)),
            ),
            await answers((index, id, rows) => index.merge(id, rows)),
          )
        },
      ),
      { seed: 11, numRuns: process.env["ASSAY_SOAK"] === undefined ? 7 : 50 },
    )
  })

  test(`${engine}: an identity's rows are one identity on both sides of a block's end, and 256 of them are kept`, async (t) => {
    const { index } = await opened(t)
    const { id } = await index.openBatch(source, "file", 1)
    const rows = [{ key: alice, entries: days(300, id, "breach") }, row(bob, id)]
    for (let again = 0; again < 2; again++) {
      const merged = await index.mergeSegment(id, segmentBlocks(rows, 7))
      assert.deepEqual(merged, { rows: 301, identities: 2, known: 0 })
    }
    await index.goLive(id, { rows: 301, identities: 2 }, 2)
    const { entries, cut } = await index.lookup(alice, null)
    assert.deepEqual({ entries: entries.length, cut }, { entries: 256, cut: 44 })
  })

  test(`${engine}: many rows over earlier ones keep both, whatever the number of blocks`, async (t) => {
    const { index } = await opened(t)
    const earlier = await importedBatch(
      index,
      "earlier",
      Array.from({ length: 900 }, (_, i) => keyOf(10 * i)),
    )
    const { id } = await index.openBatch(source, "file", 1)
    const merged = await index.mergeSegment(id, segmentBlocks([...importRows(id, 9_000)], 1_000))
    assert.equal(merged.identities, 9_000)
    await index.goLive(id, { rows: merged.rows, identities: 9_000 }, 2)
    assert.equal((await index.stats()).identities, 9_000)
    for (const i of [0, 10, 11, 4_000, 8_990, 8_999]) {
      const { entries, cut } = await index.lookup(keyOf(i), null)
      const imported = i % 1_000 === 0 ? 300 : 1 + (i % 3)
      assert.equal(entries.length + cut, imported + (i % 10 === 0 ? 1 : 0))
      assert.equal(
        entries.some(({ batchId }) => batchId === earlier),
        i % 10 === 0 && i % 1_000 !== 0,
      )
    }
  })

  test(`${engine}: known rows are those another live batch of the same source has, and no others`, async (t) => {
    const { index } = await opened(t)
    const merged = async (name: string, file: string): Promise<MergedSegment> => {
      const { id } = await index.openBatch({ ...source, name }, file, 1)
      const rows = [
        { key: alice, entries: days(2, id, "breach") },
        { key: bob, entries: [{ ...breach, item: "a", batchId: id }] },
      ]
      const result = await index.mergeSegment(id, segmentBlocks(rows))
      await index.goLive(id, { rows: 3, identities: 2 }, 2)
      return result
    }
    assert.equal((await merged("one", "a")).known, 0)
    assert.equal((await merged("another", "b")).known, 0)
    assert.equal((await merged("one", "c")).known, 3)
    for (const { id } of (await index.catalogue()).batches.values()) {
      if (id !== 2) await index.removeBatch(id, 3)
    }
    assert.equal((await merged("one", "d")).known, 0)
    assert.equal((await merged("another", "e")).known, 3)
  })

  test(`${engine}: only a shared batch that is loading takes a segment, and only one in order`, async (t) => {
    const { index } = await opened(t)
    const live = await importedBatch(index, "live", [])
    const own = await index.openBatch(source, "own", 1, 7)
    const { id } = await index.openBatch(source, "file", 1)
    const blocks = (): AsyncGenerator<SegmentBlock> => segmentBlocks([row(alice, 1)])
    for (const refused of [live, own.id, 99]) {
      await assert.rejects(index.mergeSegment(refused, blocks()), BatchRefused)
    }
    const backwards = sortedRows([row(alice, 1), row(bob, 1)]).reverse()
    await assert.rejects(index.mergeSegment(id, one(blockOf(backwards))), MalformedBytes)
    const [first] = backwards
    assert.ok(first !== undefined)
    const noise = blockOf([{ ...first, head: Buffer.alloc(8, 0xff) }])
    await assert.rejects(index.mergeSegment(id, one(noise)), MalformedBytes)
    await index.goLive(id, { rows: 0, identities: 0 }, 2)
    for (const key of [alice, bob]) assert.deepEqual((await index.lookup(key, null)).entries, [])
  })

  test(`${engine}: a segment merged by another process is in the next lookup here, and killed it is not`, async (t) => {
    const { index, directory } = await opened(t)
    const killed = await secondProcess(t, opener, directory)
    killed.tell({ verb: "segment", fingerprint: "file", identities: 5_000 })
    await killed.said((answer) => (answer as { block?: number }).block !== undefined)
    await killed.kill()
    assert.deepEqual((await index.lookup(keyOf(1), null)).entries, [])
    const other = await secondProcess(t, opener, directory)
    other.tell({ verb: "segment", fingerprint: "file", identities: 5_000 })
    await other.said((answer) => answer === "live")
    assert.equal((await index.lookup(keyOf(1), null)).entries.length, 2)
    assert.equal((await index.lookup(keyOf(4_000), null)).cut, 300 - 256)
  })

  test(`${engine}: what is said of a source changes from the next lookup on, here and elsewhere`, async (t) => {
    const { index, directory } = await opened(t)
    const batchId = await importedBatch(index, "file", [alice])
    const { batches, version } = await index.catalogue()
    const sourceId = batches.get(batchId)?.sourceId ?? 0
    const other = await secondProcess(t, opener, directory)
    const look = { verb: "look", key: hex(alice) } as const
    const answer = (title: string): unknown => ({ entries: 1, erased: false, titles: [title] })
    assert.deepEqual(await other.ask(look), answer(source.title))
    const changed = await index.changeSource(sourceId, { title: "Renamed", confidence: 0.5 })
    assert.ok(changed.version > version)
    assert.deepEqual(await other.ask(look), answer("Renamed"))
    const { sources } = (await index.lookup(alice, null)).catalogue
    assert.equal(sources.get(sourceId)?.confidence, 0.5)
    assert.equal(sources.get(sourceId)?.name, source.name)
    assert.equal(sources.get(sourceId)?.eventDate, source.eventDate)
    const same = await index.changeSource(sourceId, { title: "Renamed" })
    assert.equal(same.version, changed.version)
    await assert.rejects(index.changeSource(99, { title: "None" }), BatchRefused)
    await assert.rejects(index.changeSource(sourceId, { confidence: 2 }), RangeError)
    assert.equal(await other.ask({ verb: "retitle", sourceId, title: "Again" }), "retitled")
    assert.equal((await index.lookup(alice, null)).catalogue.sources.get(sourceId)?.title, "Again")
  })
}

function ofBatch(rows: readonly Row[], batchId: number): Row[] {
  return rows.map(({ key, entries }) => ({
    key,
    entries: entries.map((entry) => ({ ...entry, batchId })),
  }))
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString("hex")
}

async function* one(block: SegmentBlock): AsyncGenerator<SegmentBlock> {
  yield block
}
