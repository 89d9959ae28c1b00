import assert from "node:assert/strict"
import { test } from "node:test"
import type { Entry } from "../src/entry.ts"
import { breach } from "./entry-samples-suite.ts"
import { keyOf, source } from "./exposure-index-process-suite.ts"
import { BatchRefused, type ExposureIndex } from "../src/exposure-index.ts"
import { days, importedBatch, type OpenNew, ownBatch, row, seen } from "./opened-index-suite.ts"
import { segmentBlocks } from "./segment-samples-suite.ts"

const alice = keyOf(-1)
const bob = keyOf(-2)

/** A live shared batch without entries. */
async function liveBatch(index: ExposureIndex, name: string): Promise<number> {
  const { id } = await index.openBatch({ ...source, name }, name, 1)
  await index.goLive(id, { rows: 0, identities: 0 }, 2)
  return id
}

function simChange(day: number, batchId: number): Entry {
  return { ...breach, kind: "sim_change", secret: "none", hours: 24 * day, batchId }
}

/** The part of the index's suite about shared evidence that arrives one by one. */
export function sharedSuite(engine: string, opened: OpenNew): void {
  test(`${engine}: shared evidence is everybody's at once, beside what was there, and adding it again changes nothing`, async (t) => {
    const { index } = await opened(t)
    const imported = await importedBatch(index, "file", [alice])
    const own = await ownBatch(index, "reports", 7)
    await index.addTenantEvidence(7, [row(alice, own)])
    const live = await liveBatch(index, "operator")
    const { version } = await index.catalogue()
    const rows = [
      { key: alice, entries: [simChange(5, live)] },
      { key: bob, entries: [simChange(6, live), simChange(9, live)] },
    ]
    for (let twice = 0; twice < 2; twice++) {
      await index.addSharedEvidence(rows)
      for (const tenantId of [null, 7, 8]) {
        const { entries } = await index.lookup(alice, tenantId)
        assert.deepEqual(
          entries.map(({ batchId, owner }) => [batchId, owner]),
          [[imported, "shared"], [live, "shared"], ...(tenantId === 7 ? [[own, 7]] : [])],
        )
        assert.deepEqual(
          (await index.lookup(bob, tenantId)).entries.map(({ hours }) => hours / 24),
          [6, 9],
        )
      }
    }
    assert.equal((await index.stats()).identities, 2)
    // A reader that holds the catalogue need not read it again for one more entry.
    assert.equal((await index.catalogue()).version, version)
    await index.removeBatch(live, 3)
    assert.deepEqual((await index.lookup(bob, null)).entries, [])
    assert.equal((await index.lookup(alice, null)).entries.length, 1)
  })

  test(`${engine}: shared evidence names live shared batches, and is refused whole for any other`, async (t) => {
    const { index } = await opened(t)
    const live = await liveBatch(index, "operator")
    const gone = await liveBatch(index, "gone")
    await index.removeBatch(gone, 3)
    const loading = await index.openBatch(source, "loading", 1)
    const own = await ownBatch(index, "reports", 7)
    for (const batchId of [gone, loading.id, own, 99]) {
      const rows = [row(alice, live), row(bob, batchId)]
      await assert.rejects(index.addSharedEvidence(rows), BatchRefused)
    }
    const impossible = { key: bob, entries: [{ ...simChange(1, live), hours: -1 }] }
    await assert.rejects(index.addSharedEvidence([row(alice, live), impossible]), RangeError)
    const short = { key: alice.slice(1), entries: [simChange(1, live)] }
    await assert.rejects(index.addSharedEvidence([short]), RangeError)
    for (const tenantId of [null, 7]) {
      assert.deepEqual((await index.lookup(alice, tenantId)).entries, [])
      assert.deepEqual((await index.lookup(bob, tenantId)).entries, [])
    }
  })

  test(`${engine}: shared evidence of an erased subject is not held, and others of the same call are`, async (t) => {
    const { index } = await opened(t)
    const live = await liveBatch(index, "operator")
    await index.addSharedEvidence([row(alice, live)])
    await index.erase(alice)
    await index.addSharedEvidence([row(alice, live), row(bob, live)])
    const { entries, erased } = await index.lookup(alice, null)
    assert.deepEqual({ entries, erased }, { entries: [], erased: true })
    assert.equal((await index.lookup(bob, null)).entries.length, 1)
  })

  test(`${engine}: a SIM change finds room in a full set, and an import that goes on meanwhile loses nothing`, async (t) => {
    const { index } = await opened(t)
    const full = await index.openBatch(source, "full", 1)
    await index.merge(full.id, [{ key: alice, entries: days(300, full.id, "breach") }])
    await index.goLive(full.id, { rows: 300, identities: 1 }, 2)
    const live = await liveBatch(index, "operator")
    const { id: loading } = await index.openBatch(source, "segment", 1)
    await index.mergeSegment(loading, segmentBlocks([row(bob, loading)]))
    await index.addSharedEvidence([
      { key: alice, entries: [simChange(1, live)] },
      { key: bob, entries: [simChange(2, live)] },
    ])
    const { entries, cut } = await index.lookup(alice, null)
    assert.equal(entries.length, 256)
    assert.equal(entries.filter(({ kind }) => kind === "sim_change").length, 1)
    assert.equal(cut, 45)
    assert.equal((await index.lookup(bob, null)).entries.length, 1)
    await index.goLive(loading, { rows: 1, identities: 1 }, 3)
    const both = seen(await index.lookup(bob, null))
    assert.deepEqual(both.entries.map(({ batchId }) => batchId).sort(), [live, loading].sort())
  })
}
