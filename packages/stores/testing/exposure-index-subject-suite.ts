import assert from "node:assert/strict"
import { test } from "node:test"
import { breach } from "./entry-samples-suite.ts"
import { keyOf, source } from "./exposure-index-process-suite.ts"
import type { ExposureIndex, Found } from "../src/exposure-index.ts"
import { importedBatch, type OpenNew, ownBatch, row, seen } from "./opened-index-suite.ts"
import { secondProcess } from "./second-process-suite.ts"
import { segmentBlocks } from "./segment-samples-suite.ts"

const alice = keyOf(-1)
const bob = keyOf(-2)

/** The part of the index's suite about showing and erasing the data of one subject. */
export function subjectSuite(
  engine: string,
  opened: OpenNew,
  open: (directory: string) => Promise<ExposureIndex>,
  opener: URL,
): void {
  test(`${engine}: an erased identity has nothing and says so, for everyone, and others keep all of theirs`, async (t) => {
    const { index, directory } = await opened(t)
    await importedBatch(index, "file", [alice, bob])
    const own = await ownBatch(index, "reports", 7)
    await index.replaceTenantEvidence(7, own, [row(alice, own), row(bob, own)])
    const others = seen(await index.lookup(bob, 7))
    assert.equal((await index.lookup(alice, 7)).erased, false)

    await index.erase(alice)
    await index.erase(alice)
    for (const tenantId of [null, 7, 8]) {
      assert.deepEqual(answer(await index.lookup(alice, tenantId)), nothingAndErased)
    }
    assert.deepEqual(answer(await index.holdings(alice)), nothingAndErased)
    assert.deepEqual(seen(await index.lookup(bob, 7)), others)
    assert.equal((await index.lookup(bob, 7)).erased, false)
    assert.equal((await index.stats()).tenantIdentities, 1)

    await index.close()
    const reopened = await open(directory)
    t.after(() => reopened.close())
    assert.deepEqual(answer(await reopened.lookup(alice, 7)), nothingAndErased)
  })

  test(`${engine}: what arrives for an erased identity is not held, however it comes`, async (t) => {
    const { index } = await opened(t)
    const own = await ownBatch(index, "reports", 7)
    await index.erase(alice)
    const { id: rows } = await index.openBatch(source, "rows", 1)
    await index.merge(rows, [row(alice, rows), row(bob, rows)])
    await index.goLive(rows, { rows: 2, identities: 2 }, 2)
    const { id: segment } = await index.openBatch(source, "segment", 1)
    const merged = await index.mergeSegment(
      segment,
      segmentBlocks([row(alice, segment), row(bob, segment)]),
    )
    assert.deepEqual(merged, { rows: 2, identities: 2, known: 1 })
    await index.goLive(segment, { rows: 2, identities: 2 }, 2)
    await index.replaceTenantEvidence(7, own, [row(alice, own), row(bob, own)])
    await index.addFirstTenantEvidence(7, [row(alice, own)])
    assert.deepEqual(answer(await index.lookup(alice, 7)), nothingAndErased)
    assert.deepEqual(answer(await index.holdings(alice)), nothingAndErased)
    assert.equal((await index.lookup(bob, 7)).entries.length, 3)
    assert.equal((await index.stats()).tenantIdentities, 1)
  })

  test(`${engine}: a tenant's erasure takes what the tenant holds, and the tenant may send it again`, async (t) => {
    const { index } = await opened(t)
    await importedBatch(index, "file", [alice])
    const own = await ownBatch(index, "reports", 7)
    const theirs = await ownBatch(index, "reports", 8)
    await index.replaceTenantEvidence(7, own, [row(alice, own)])
    await index.replaceTenantEvidence(8, theirs, [row(alice, theirs)])
    const others = seen(await index.lookup(alice, 8))
    await index.erase(alice, 7)
    const { entries, erased } = await index.lookup(alice, 7)
    assert.deepEqual(
      { owners: entries.map(({ owner }) => owner), erased },
      { owners: ["shared"], erased: false },
    )
    assert.deepEqual(seen(await index.lookup(alice, 8)), others)
    await index.replaceTenantEvidence(7, own, [row(alice, own)])
    assert.equal((await index.lookup(alice, 7)).entries.length, 2)
    await assert.rejects(index.erase(alice, -1), RangeError)
    await assert.rejects(index.erase(alice.subarray(1)), RangeError)
  })

  test(`${engine}: holdings are what live batches of all owners say, the shared first`, async (t) => {
    const { index } = await opened(t)
    await importedBatch(index, "file", [alice, bob])
    const removed = await importedBatch(index, "removed", [alice])
    await index.removeBatch(removed, 3)
    const { id: loading } = await index.openBatch(source, "loading", 1)
    await index.merge(loading, [row(alice, loading)])
    for (const tenantId of [8, 7]) {
      const own = await ownBatch(index, "reports", tenantId)
      const entries = [{ ...breach, kind: "fraud_report" as const, batchId: own }]
      await index.replaceTenantEvidence(tenantId, own, [{ key: alice, entries }])
    }
    const { entries, cut, erased, catalogue } = await index.holdings(alice)
    assert.equal(entries[0]?.owner, "shared")
    assert.deepEqual(new Set(entries.map(({ owner }) => owner)), new Set(["shared", 7, 8]))
    assert.deepEqual(
      { entries: entries.length, cut, erased },
      { entries: 3, cut: 0, erased: false },
    )
    assert.deepEqual(catalogue, await index.catalogue())
    assert.equal((await index.holdings(bob)).entries.length, 1)
    assert.deepEqual((await index.holdings(keyOf(-3))).entries, [])
    await assert.rejects(index.holdings(alice.subarray(1)), RangeError)
  })

  test(`${engine}: an erasure here is in the next lookup of a process already running, and the reverse`, async (t) => {
    const { index, directory } = await opened(t)
    await importedBatch(index, "file", [alice, bob])
    const other = await secondProcess(t, opener, directory)
    const look = (key: Uint8Array): Promise<unknown> => other.ask({ verb: "look", key: hex(key) })
    assert.deepEqual(await look(alice), { entries: 1, erased: false, titles: [source.title] })
    await index.erase(alice)
    assert.deepEqual(await look(alice), { entries: 0, erased: true, titles: [source.title] })
    assert.equal((await index.lookup(bob, null)).erased, false)
    assert.equal(await other.ask({ verb: "erase", key: hex(bob) }), "erased")
    await other.kill()
    assert.deepEqual(answer(await index.lookup(bob, null)), nothingAndErased)
  })
}

const nothingAndErased = { entries: [], cut: 0, erased: true }

function answer({ entries, cut, erased }: Found): unknown {
  return { entries, cut, erased }
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString("hex")
}
