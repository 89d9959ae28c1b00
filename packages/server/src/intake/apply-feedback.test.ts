// Two nodes on one database and one cluster: what a node writes that was stopped meanwhile.
import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import { openPostgresRecords } from "@assay/stores/postgres/records"
import type { Records } from "@assay/stores/records"
import type { FeedbackIdentity } from "@assay/stores/records-feedback"
import { auditKey } from "@assay/stores/testing/audit-key"
import { startTestServer } from "@assay/stores/testing/postgres/test-server"
import { clusterForFile } from "@assay/stores/testing/redis/cluster-suite"
import { readClusterPlace } from "@assay/stores/redis/cluster-place"
import { openRedisIndex } from "@assay/stores/redis/exposure-index"
import { HOUR_MS } from "@assay/runtime/time"
import { alice, start, testTenants } from "../../testing/intake/test-stores.ts"
import { type FeedbackReport, type FeedbackWriter, openFeedbackWriter } from "./feedback-writer.ts"

const cluster = await clusterForFile()
const server = await startTestServer().catch((error: unknown) => {
  if (process.env["CI"] === "true") throw error
  test("postgres", { skip: `no PostgreSQL on this machine: ${String(error)}` }, () => {})
  return null
})

interface Node {
  readonly records: Records
  readonly index: ExposureIndex
}

interface Place {
  readonly one: Node
  readonly two: Node
  readonly report: FeedbackReport
  kinds(): Promise<string[]>
}

if (cluster !== null && server !== null) {
  test.after(() => server.stop())
  let places = 0

  const place = async (t: TestContext): Promise<Place> => {
    const url = await server.createRecordsDatabase()
    const name = `of-${++places}`
    const node = async (): Promise<Node> => {
      const records = await openPostgresRecords({ url, poolMax: 2, auditKey })
      t.after(() => records.close())
      const at = readClusterPlace(cluster.urls) ?? assert.fail("the cluster has no place")
      const index = await openRedisIndex({ place: at, name, bucketBits: 4, timeoutMs: 5000 })
      t.after(() => index.close())
      return { records, index }
    }
    const one = await node()
    await one.records.migrate()
    const two = await node()
    const { tenantId } = await testTenants(one.records, "free")
    const identity: FeedbackIdentity = { tenantId, identityKey: alice }
    return {
      one,
      two,
      report: {
        ...identity,
        ...{ keyId: "k1", identityType: "email", aliasTag: 0, outcome: "fraud_confirmed" },
        ...{ occurredAt: start, loss: null, reference: null, expiresAt: null },
      },
      async kinds() {
        const { entries } = await two.index.lookup(alice, tenantId)
        return entries.map(({ kind }) => kind).sort()
      },
    }
  }

  const killed = new Error("killed")
  /**
   * A node that stops where it has read both stores, does `meanwhile`, goes on to write, and is
   * killed before it notes what it wrote.
   */
  const stoppedAndKilled = async (
    { records, index }: Node,
    report: FeedbackReport,
    meanwhile: () => Promise<void>,
  ): Promise<number> => {
    let asked = 0
    const stopping: Records = {
      ...records,
      async feedbackOf(identity) {
        const reports = await records.feedbackOf(identity)
        if (++asked === 1) await meanwhile()
        return reports
      },
      settleFeedback: () => Promise.reject(killed),
    }
    const writer = await openFeedbackWriter({ records: stopping, index, now: () => start })
    const submitted = writer.submit(report, null)
    // It may have been acknowledged by then.
    await submitted.catch((error: unknown) => assert.equal(error, killed))
    await writer.idle()
    return asked
  }
  /** A writer whose clock goes on with each look at it, so that what was stored before is due. */
  const writerOn = ({ records, index }: Node): Promise<FeedbackWriter> => {
    let ms = start
    return openFeedbackWriter({ records, index, now: () => (ms += 1_000) })
  }

  const newestId = async ({ records }: Node, report: FeedbackReport): Promise<string> => {
    const newest = (await records.feedbackOf(report)).at(-1)
    return newest?.id ?? assert.fail("nothing was stored")
  }

  test("a write of a node that was stopped while a report of its own was applied and undone by another changes nothing", async (t) => {
    const { one, two, report, kinds } = await place(t)
    const other = await writerOn(two)
    await other.submit(report, null)
    const takeover = { ...report, outcome: "takeover_confirmed" } as const
    await stoppedAndKilled(one, takeover, async () => {
      await other.settleDue()
      assert.deepEqual(await kinds(), ["attack", "fraud_confirmed"])
      assert.equal(await other.undo(await newestId(two, report), report.tenantId), true)
      await other.idle()
      assert.deepEqual(await kinds(), ["fraud_confirmed"])
    })
    assert.deepEqual(await two.records.dueFeedback({ at: start + HOUR_MS, limit: 9 }), [])
    assert.deepEqual(await kinds(), ["fraud_confirmed"])
  })

  test("so does one where the other had nothing to write, because the report was undone before it was applied", async (t) => {
    const { one, two, report, kinds } = await place(t)
    const other = await writerOn(two)
    await stoppedAndKilled(one, report, async () => {
      assert.equal(await other.undo(await newestId(two, report), report.tenantId), true)
      await other.idle()
      assert.deepEqual(await kinds(), [])
    })
    assert.deepEqual(await two.records.dueFeedback({ at: start + HOUR_MS, limit: 9 }), [])
    assert.deepEqual(await kinds(), [])
  })

  test("what one tenant's erasure took is not written again by a node that was stopped meanwhile", async (t) => {
    const { one, two, report, kinds } = await place(t)
    const { tenantId, identityKey } = report
    await stoppedAndKilled(one, report, async () => {
      await two.records.eraseSubject({
        ...{ identityKey, identityType: "email", tenantId, at: start, actor: "test" },
        ...{ reason: "subject_request", reference: null },
      })
      await two.index.erase(identityKey, tenantId)
    })
    assert.deepEqual(await two.records.feedbackOf(report), [])
    assert.deepEqual(await kinds(), [])
  })

  test("what one node took for expired does not act again where another's clock is behind", async (t) => {
    const { one, two, report, kinds } = await place(t)
    const expiresAt = start + HOUR_MS
    const behind = await openFeedbackWriter({ ...one, now: () => start })
    await behind.submit({ ...report, expiresAt }, null)
    assert.deepEqual(await kinds(), ["fraud_confirmed"])
    await behind.idle()
    const ahead = await openFeedbackWriter({ ...two, now: () => expiresAt })
    await ahead.settleDue()
    assert.deepEqual(await kinds(), [])
    await behind.submit({ ...report, outcome: "ownership_verified" }, null)
    await behind.idle()
    assert.deepEqual(await kinds(), ["ownership_verified"])
  })

  test("a node that nobody overtakes asks once, and what it wrote before it was killed stays", async (t) => {
    const { one, report, kinds } = await place(t)
    assert.equal(await stoppedAndKilled(one, report, async () => {}), 1)
    assert.deepEqual(await kinds(), ["fraud_confirmed"])
  })
}
