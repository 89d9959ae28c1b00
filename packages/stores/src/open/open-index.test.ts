import assert from "node:assert/strict"
import { mkdtempSync } from "node:fs"
import { rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test, type TestContext } from "node:test"
import { keyOf } from "../../testing/exposure-index-process-suite.ts"
import { IndexUnavailable, type ExposureIndex } from "../exposure-index.ts"
import type { IndexPlace } from "../index-place.ts"
import { indexAt, openIndex } from "./open-index.ts"
import { importedBatch } from "../../testing/opened-index-suite.ts"
import { clusterForFile } from "../../testing/redis/cluster-suite.ts"

function newDirectory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "assay-open-index-"))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

const ownIn = (dataDirectory: string): IndexPlace => ({
  dataDirectory,
  indexUrl: null,
  indexName: "assay",
  indexBucketBits: 20,
  indexTimeoutMs: 1000,
})

test("without a cluster the index is in the data directory, for writers and then for readers", async (t) => {
  const directory = newDirectory(t)
  assert.equal(indexAt(ownIn(directory)).files, join(directory, "index"))
  await assert.rejects(openIndex(ownIn(directory), { readOnly: true }), IndexUnavailable)
  const index = await openIndex(ownIn(directory), { readOnly: false })
  await importedBatch(index, "file", [keyOf(1)])
  const reader = await openIndex(ownIn(directory), { readOnly: true })
  assert.equal((await reader.lookup(keyOf(1), null)).entries.length, 1)
  await Promise.all([reader.close(), index.close()])
})

const cluster = await clusterForFile()
if (cluster !== null) {
  const clustered = (indexName: string, dataDirectory: string): IndexPlace => ({
    ...ownIn(dataDirectory),
    indexUrl: cluster.urls,
    indexName,
    indexBucketBits: 4,
  })
  const closing = async (index: Promise<ExposureIndex>): Promise<void> => (await index).close()

  test("with a cluster the index is there, and what the data directory keeps of it is its owner's alone", async (t) => {
    const directory = newDirectory(t)
    const reading = { readOnly: true }
    assert.equal(indexAt(clustered("one", directory)).files, null)
    await assert.rejects(openIndex(clustered("one", directory), reading), IndexUnavailable)
    const index = await openIndex(clustered("one", directory), { readOnly: false })
    await importedBatch(index, "file", [keyOf(1)])
    for (const machine of [directory, newDirectory(t)]) {
      const reader = await openIndex(clustered("one", machine), reading)
      assert.equal((await reader.lookup(keyOf(1), null)).entries.length, 1)
      await reader.close()
    }
    await index.close()
    assert.equal((await stat(join(directory, "index", "cluster.json"))).mode & 0o777, 0o600)
    await assert.rejects(stat(join(directory, "index", "data.mdb")), { code: "ENOENT" })
  })

  test("an index in the cluster and one in the directory do not take each other's place", async (t) => {
    const [away, own] = [newDirectory(t), newDirectory(t)]
    await closing(openIndex(clustered("two", away), { readOnly: false }))
    await closing(openIndex(ownIn(own), { readOnly: false }))
    for (const readOnly of [true, false]) {
      await assert.rejects(openIndex(ownIn(away), { readOnly }), IndexUnavailable)
      await assert.rejects(openIndex(clustered("two", own), { readOnly }), IndexUnavailable)
    }
  })

  test("a cluster that lost everything is not taken for a new one, nor is one that somebody began anew", async (t) => {
    const directory = newDirectory(t)
    await closing(openIndex(clustered("three", directory), { readOnly: false }))
    for (const node of cluster.nodes) await node.ask("FLUSHALL")
    for (const readOnly of [true, false]) {
      await assert.rejects(openIndex(clustered("three", directory), { readOnly }), IndexUnavailable)
    }
    await closing(openIndex(clustered("three", newDirectory(t)), { readOnly: false }))
    for (const readOnly of [true, false]) {
      await assert.rejects(openIndex(clustered("three", directory), { readOnly }), IndexUnavailable)
    }
    await closing(openIndex(clustered("four", directory), { readOnly: false }))
  })
}
