import { plainEntry } from "@assay/stores/entry"
import type { ExposureIndex, Row, SourceDescription } from "@assay/stores/exposure-index"
import { arrivingBatches } from "@assay/stores/arriving-batches"
import { HOUR_MS } from "@assay/runtime/time"
import type { FoldedDecision, OnFolded } from "./fold.ts"

/**
 * Each tenant that asks has one source and one batch of what it asked about, which only its own
 * lookups read.
 */
const SOURCE: SourceDescription = {
  name: "decisions",
  title: "Your earlier decisions",
  kind: "decided",
  confidence: 1,
  classes: [],
  flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
  eventDate: null,
  circulates: false,
}

/** Rows of one transaction: the primary grants leases between them. */
const ROWS_AT_ONCE = 500

/**
 * Notes in the index since when a tenant knows an identity, so that a later lookup finds its
 * history in the same read. The first moment stands; noting a later one changes nothing.
 */
export function knownIdentities(
  index: Pick<ExposureIndex, "catalogue" | "openBatch" | "goLive" | "addFirstTenantEvidence">,
): OnFolded {
  const batchOf = arrivingBatches(index, () => SOURCE)
  return async (decisions) => {
    const ofTenants = Map.groupBy(decisions, ({ tenantId }) => tenantId)
    for (const [tenantId, own] of ofTenants) {
      if (tenantId === null) continue
      const batchId = await batchOf(tenantId, SOURCE.name, own[0]?.atMs ?? 0)
      for (let from = 0; from < own.length; from += ROWS_AT_ONCE) {
        const rows = own
          .slice(from, from + ROWS_AT_ONCE)
          .map((decision) => rowOf(decision, batchId))
        await index.addFirstTenantEvidence(tenantId, rows)
      }
    }
  }
}

function rowOf({ identityKey, atMs }: FoldedDecision, batchId: number): Row {
  const hour = Math.floor(atMs / HOUR_MS)
  const entry = plainEntry("decided", hour - (hour % 24), batchId)
  return { key: identityKey, entries: [entry] }
}
