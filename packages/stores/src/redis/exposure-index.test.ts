import assert from "node:assert/strict"
import { test } from "node:test"
import { exposureIndexSuite } from "../../testing/exposure-index-suite.ts"
import { CLUSTER_INDEX_FORMAT, type Entry, type ExposureIndex } from "../exposure-index.ts"
import { breach } from "../../testing/entry-samples-suite.ts"
import { keyOf, source } from "../../testing/exposure-index-process-suite.ts"
import { alterStored } from "../../testing/redis/alter-stored-suite.ts"
import { clusterForFile } from "../../testing/redis/cluster-suite.ts"

const cluster = await clusterForFile()
if (cluster !== null) {
  const opener = new URL(
    `../../testing/redis/suite-opener.ts?cluster=${cluster.urls}`,
    import.meta.url,
  )
  const { open } = (await import(opener.href)) as {
    open: (directory: string) => Promise<ExposureIndex>
  }
  const identities = process.env["ASSAY_SOAK"] === undefined ? 6_000 : 20_000
  test("redis: of two processes that restate an identity the last one has asked last", async () => {
    const [one, two] = [await open("/restated"), await open("/restated")]
    const { id } = await one.openBatch(source, "reports", 1, 7)
    await one.goLive(id, { rows: 0, identities: 0 }, 1)
    const entry = (kind: Entry["kind"]): Entry => ({ ...breach, kind, batchId: id })
    // What other stores say; the second process learns more while the first one is on its way.
    let said: readonly Entry["kind"][] = ["attack"]
    let asked = 0
    await one.restateTenantEvidence(7, id, keyOf(1), async () => {
      const known = said.map(entry)
      if (++asked === 1) {
        said = ["attack", "monetized"]
        await two.restateTenantEvidence(7, id, keyOf(1), async () => said.map(entry))
      }
      return known
    })
    assert.equal(asked, 2)
    const { entries } = await two.lookup(keyOf(1), 7)
    assert.deepEqual(entries.map(({ kind }) => kind).sort(), ["attack", "monetized"])
    await Promise.all([one.close(), two.close()])
  })

  exposureIndexSuite("redis", open, opener, alterStored(cluster), identities, CLUSTER_INDEX_FORMAT)
}
