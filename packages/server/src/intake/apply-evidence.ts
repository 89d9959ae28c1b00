import { Cursor } from "@assay/stores/bytes"
import { readEntry } from "@assay/stores/entry"
import type { Entry, ExposureIndex, Row, SourceDescription } from "@assay/stores/exposure-index"
import type { ObservationRecords, Observed } from "@assay/stores/records-observations"
import { type TenantBatch, tenantBatches } from "@assay/stores/tenant-batches"

type AppliedRecords = Pick<ObservationRecords, "observationsAfter" | "forgetObservations">
type DueRecords = Pick<ObservationRecords, "dueObservations" | "settleObservations"> &
  AppliedRecords
type AppliedIndex = Pick<ExposureIndex, "openBatch" | "goLive" | "lookup" | "addTenantEvidence">

/** Identities of one write: the primary grants leases between writes. */
const IDENTITIES_AT_ONCE = 1_000

/**
 * Puts all of a tenant's observations that are due into the index. Doing it again changes nothing.
 */
export type ApplyEvidence = (tenantId: number, atMs: number) => Promise<void>

export function evidenceApplier(records: DueRecords, index: AppliedIndex): ApplyEvidence {
  const put = observationPutter(records, index)
  return async (tenantId, atMs) => {
    for (;;) {
      const due = await records.dueObservations({ tenantId, identities: IDENTITIES_AT_ONCE })
      const last = due.at(-1)
      if (last === undefined) return
      await put(tenantId, due, atMs)
      await records.settleObservations({ tenantId, through: last.identityKey })
    }
  }
}

/**
 * Puts all observations there are into an index that was made anew; returns how many identities
 * they are about.
 */
export async function applyAllEvidence(
  records: AppliedRecords,
  index: AppliedIndex,
  atMs: number,
): Promise<number> {
  const put = observationPutter(records, index)
  let count = 0
  for (let after: Uint8Array | null = null; ;) {
    const page: Observed[] = await records.observationsAfter({
      after,
      identities: IDENTITIES_AT_ONCE,
    })
    const last = page.at(-1)
    if (last === undefined) return count
    for (const [tenantId, own] of Map.groupBy(page, ({ tenantId }) => tenantId)) {
      await put(tenantId, own, atMs)
    }
    count += byIdentity(page).size
    after = last.identityKey
  }
}

type PutObservations = (
  tenantId: number,
  observations: readonly Observed[],
  atMs: number,
) => Promise<void>

/**
 * All observations of an identity come together, so that the index counts exactly what it has no
 * room for.
 */
function observationPutter(
  records: Pick<ObservationRecords, "forgetObservations">,
  index: AppliedIndex,
): PutObservations {
  const batches = new Map<string, TenantBatch>()
  const batchOf = (source: string, tenantId: number, atMs: number): Promise<number> => {
    const known = batches.get(source) ?? tenantBatches(index, sourceOf(source))
    batches.set(source, known)
    return known(tenantId, atMs)
  }

  return async (tenantId, observations, atMs) => {
    const batchIds = new Map<string, number>()
    for (const source of new Set(observations.map((each) => each.source))) {
      batchIds.set(source, await batchOf(source, tenantId, atMs))
    }
    const identities = [...byIdentity(observations).values()]
    const rows = await Promise.all(
      identities.map(async (own): Promise<Row[]> => {
        const key = (own[0] as Observed).identityKey
        // Of a subject that was erased nothing is held, and what arrives is not kept either.
        if ((await index.lookup(key, null)).erased) {
          await records.forgetObservations(key, tenantId)
          return []
        }
        const entries = own.map(({ source, entry }) =>
          entryOf(entry, batchIds.get(source) as number),
        )
        return [{ key, entries }]
      }),
    )
    await index.addTenantEvidence(tenantId, rows.flat())
  }
}

/**
 * A tenant's source may tell of anything, so its kind says nothing; model 1.0 believes a line at
 * 0.8 unless it says more.
 */
function sourceOf(name: string): SourceDescription {
  return {
    name,
    title: name,
    kind: "mention",
    confidence: 0.8,
    classes: [],
    flags: { spamList: false, fabricated: false, sensitive: false, verified: false },
    eventDate: null,
    circulates: false,
  }
}

function entryOf(bytes: Uint8Array, batchId: number): Entry {
  return { ...readEntry(new Cursor(bytes)), batchId }
}

function byIdentity(observations: readonly Observed[]): Map<string, Observed[]> {
  return Map.groupBy(observations, ({ identityKey }) => Buffer.from(identityKey).toString("latin1"))
}
