import assert from "node:assert/strict"
import { test } from "node:test"
import { breach } from "../../testing/entry-samples-suite.ts"
import { keyOf, source } from "../../testing/exposure-index-process-suite.ts"
import type { Row } from "../exposure-index.ts"
import { readClusterPlace } from "./cluster-place.ts"
import { clusterForFile } from "../../testing/redis/cluster-suite.ts"
import { openRedisIndex } from "./exposure-index.ts"
import { layoutOf } from "./layout.ts"
import type { TestNode } from "../../testing/redis/test-cluster.ts"

/** As full as the buckets of an index with 2^20 of them and 100 million identities. */
const { identities, bits } =
  process.env["ASSAY_SOAK"] === undefined
    ? { identities: 25_000, bits: 8 }
    : { identities: 100_000, bits: 10 }
/** A key takes 16 bytes and an entry 9; this leaves as much again for the engine. */
const BYTES_MAX = 50

const cluster = await clusterForFile()
if (cluster !== null) {
  test(`redis: ${identities} identities with one exposure each lie in packed buckets and take under ${BYTES_MAX} bytes each`, async (t) => {
    const place = readClusterPlace(cluster.urls)
    assert.ok(place !== null)
    const name = "memory"
    const index = await openRedisIndex({ place, name, bucketBits: bits, timeoutMs: 10_000 })
    t.after(() => index.close())
    const { id } = await index.openBatch(source, "file", 1)
    const rows = Array.from({ length: identities }, (_, i): Row => ({
      key: keyOf(i),
      entries: [{ ...breach, batchId: id }],
    })).sort((a, b) => Buffer.compare(a.key, b.key))
    assert.equal(await index.merge(id, rows), identities)
    await index.goLive(id, { rows: identities, identities }, 2)
    assert.equal((await index.stats()).identities, identities)

    const layout = layoutOf(name, bits)
    let bytes = 0
    let sampled = 0
    for (let bucket = 0; bucket < layout.buckets; bucket += 16) {
      const key = layout.bucketKey(bucket)
      const node: TestNode | undefined = cluster.nodes[await cluster.nodeOf(key)]
      assert.equal(await node?.ask("OBJECT", "ENCODING", key), "listpack")
      bytes += Number(await node?.ask("MEMORY", "USAGE", key, "SAMPLES", "0"))
      sampled += Number(await node?.ask("HLEN", key)) - 1
    }
    const each = bytes / sampled
    t.diagnostic(
      `${each.toFixed(1)} bytes an identity, ${identities} identities, 2^${bits} buckets`,
    )
    assert.ok(each < BYTES_MAX)
  })
}
