import assert from "node:assert/strict"
import { test } from "node:test"
import { type Batch, INDEX_FORMAT } from "@assay/stores/exposure-index"
import type { IndexFacts } from "@assay/stores/lmdb/index-facts"
import { DAY_MS } from "@assay/runtime/time"
import { compactionReason } from "./compaction.ts"

const now = 100 * DAY_MS

function batch(id: number, state: Batch["state"], rows: number): Batch {
  return {
    id,
    sourceId: 1,
    owner: "shared",
    state,
    fingerprint: `file ${id}`,
    rows,
    identities: rows,
    createdAt: 1,
    liveAt: 1,
    removedAt: state === "removed" ? 1 : null,
  }
}

function facts(some: Partial<IndexFacts> = {}, batches: readonly Batch[] = []): IndexFacts {
  return {
    generation: 0,
    format: INDEX_FORMAT,
    bytes: 36_000_000,
    identities: 1_000_000,
    tenantIdentities: 0,
    catalogue: {
      version: 1,
      sources: new Map(),
      batches: new Map(batches.map((each) => [each.id, each])),
    },
    compaction: null,
    erasures: null,
    ...some,
  }
}

test("an index in full pages with nothing removed or erased is left alone", () => {
  assert.equal(compactionReason(facts(), now), null)
  assert.equal(compactionReason(facts({}, [batch(1, "live", 1_000_000)]), now), null)
})

test("an index of an older format is compacted at once: only a copy gets the newest one", () => {
  assert.equal(compactionReason(facts({ format: INDEX_FORMAT - 1, identities: 1 }), now), "format")
})

test("past 53 bytes a key it is compacted, unless full pages take as much here or it is small", () => {
  assert.equal(compactionReason(facts({ bytes: 53_000_000 }), now), null)
  const grown = { bytes: 53_000_001 }
  assert.equal(compactionReason(facts(grown), now), "size")
  const compaction = { at: 1, bytesPerKey: 44, dropped: [] }
  assert.equal(compactionReason(facts({ ...grown, compaction }), now), null)
  assert.equal(compactionReason(facts({ bytes: 57_200_001, compaction }), now), "size")
  assert.equal(compactionReason(facts({ ...grown, identities: 99_999 }), now), null)
})

test("past a tenth of the rows in removed batches it is compacted, and then no more for those", () => {
  const tenth = [batch(1, "live", 900_000), batch(2, "removed", 100_000)]
  assert.equal(compactionReason(facts({}, tenth), now), null)
  const more = [batch(1, "live", 900_000), batch(2, "removed", 100_001)]
  assert.equal(compactionReason(facts({}, more), now), "removed")
  const compaction = { at: 1, bytesPerKey: 36, dropped: [2] }
  assert.equal(compactionReason(facts({ compaction }, more), now), null)
  assert.equal(compactionReason(facts({}, [batch(2, "removed", 9_999)]), now), null)
})

test("seven days after the first erasure it is compacted, however small it is", () => {
  const erasures = { firstAt: now - 7 * DAY_MS, lastAt: now }
  assert.equal(compactionReason(facts({ identities: 1, erasures }), now), "erasure")
  assert.equal(compactionReason(facts({ identities: 1, erasures }), now - 1), null)
})

test("an erasure that is dated weeks ahead, from before the clock was set back, is not waited for", () => {
  const ahead = (ms: number): IndexFacts["erasures"] => ({ firstAt: now + ms, lastAt: now + ms })
  assert.equal(compactionReason(facts({ erasures: ahead(300 * DAY_MS) }), now), "erasure")
  // A clock that is corrected by a little brings on nothing.
  assert.equal(compactionReason(facts({ erasures: ahead(60_000) }), now), null)
})
