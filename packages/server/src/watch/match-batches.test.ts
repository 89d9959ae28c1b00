import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import type { Batch, Source } from "@assay/stores/exposure-index"
import { openSqliteRecords } from "@assay/stores/sqlite/records"
import { auditKey } from "@assay/stores/testing/audit-key"
import { item } from "@assay/stores/testing/records-watch-suite"
import { batchMatcher } from "./match-batches.ts"

const folder = mkdtempSync(join(tmpdir(), "assay-match-"))
after(() => rmSync(folder, { recursive: true }))
const WATCHED_AT = 1_000

const source: Source = {
  ...{ id: 1, owner: "shared", importedAt: 1, name: "corpus", title: "Corpus", kind: "breach" },
  ...{ confidence: 0.9, classes: [], eventDate: null, circulates: false },
  flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
}

/** A batch whose file is nowhere: whoever reads it fails. */
function batch(id: number, liveAt: number): Batch {
  return {
    ...{ id, sourceId: 1, owner: "shared", state: "live", fingerprint: `f${id}` },
    ...{ rows: 1, identities: 1, createdAt: 1, liveAt, removedAt: null },
    segment: { file: "nowhere.parquet", bytes: 1, sha256: "" },
  }
}

test("a batch that went live before anybody was watched is done without being read", async () => {
  const records = await openSqliteRecords({ file: join(folder, "records.sqlite"), auditKey })
  await records.migrate()
  const tenant = { name: "acme", plan: "enterprise", at: 1, actor: "test" }
  const { id: tenantId } = await records.createTenant(tenant)
  await records.addWatchItems({ tenantId, at: WATCHED_AT, items: [item(1)] })
  const batches = new Map([[1, batch(1, WATCHED_AT)]])
  let version = 1
  const match = batchMatcher({
    isElsewhere: () => false,
    records,
    index: { catalogue: async () => ({ version, sources: new Map([[1, source]]), batches }) },
    segments: folder,
    isEnding: () => false,
    now: () => WATCHED_AT,
  })
  await match(new Map())
  assert.deepEqual(await records.watchedBatches(), [
    { batchId: 1, through: null, done: true, removed: false },
  ])

  // One that came later is read.
  version++
  batches.set(2, batch(2, WATCHED_AT + 1))
  await assert.rejects(() => match(new Map()))
  const [, second] = await records.watchedBatches()
  assert.notEqual(second?.done, true)
  await records.close()
})
