import { Cursor } from "@assay/stores/bytes"
import { readEntry } from "@assay/stores/entry"
import type {
  Entry,
  ExposureIndex,
  Owner,
  Row,
  SourceDescription,
} from "@assay/stores/exposure-index"
import { arrivingBatches } from "@assay/stores/arriving-batches"
import type { EvidenceRecords, KeptEvidence } from "@assay/stores/records-evidence"
import { carrierSource } from "./carrier-source.ts"

type AppliedIndex = Pick<
  ExposureIndex,
  "catalogue" | "openBatch" | "goLive" | "addTenantEvidence" | "addSharedEvidence"
>

/** Identities of one write: the primary grants leases between writes. */
const IDENTITIES_AT_ONCE = 1_000

/**
 * Puts all evidence of an owner that is due into the index. Doing it again changes nothing.
 * `onIndexed` is called with whom it is about when the index has it, before the records know.
 */
export type ApplyEvidence = (
  owner: Owner,
  atMs: number,
  onIndexed?: (about: readonly Uint8Array[]) => void,
) => Promise<void>

export function evidenceApplier(
  records: Pick<EvidenceRecords, "dueEvidence" | "settleEvidence">,
  index: AppliedIndex,
): ApplyEvidence {
  const put = evidencePutter(index)
  return async (owner, atMs, onIndexed) => {
    const about: Uint8Array[] = []
    for (let more = true; more;) {
      const due = await records.dueEvidence({ owner, identities: IDENTITIES_AT_ONCE })
      const rows = due.length === 0 ? [] : await put(owner, due, atMs)
      for (const { key } of rows) about.push(key)
      more = rows.length === IDENTITIES_AT_ONCE
      if (!more) onIndexed?.(about)
      const last = due.at(-1)
      if (last === undefined) continue
      const writes = new Set(due.map((each) => each.due))
      await records.settleEvidence({ owner, through: last.identityKey, due: [...writes] })
    }
  }
}

/**
 * Puts all evidence there is into an index that was made anew; returns how many identities it is
 * about.
 */
export async function applyAllEvidence(
  records: Pick<EvidenceRecords, "evidenceAfter">,
  index: AppliedIndex,
  atMs: number,
): Promise<number> {
  const put = evidencePutter(index)
  let count = 0
  for (let after: Uint8Array | null = null; ;) {
    const page: KeptEvidence[] = await records.evidenceAfter({
      after,
      identities: IDENTITIES_AT_ONCE,
    })
    const last = page.at(-1)
    if (last === undefined) return count
    for (const [owner, own] of Map.groupBy(page, ({ owner }) => owner)) await put(owner, own, atMs)
    count += byIdentity(page).size
    after = last.identityKey
  }
}

/**
 * All evidence of an identity comes together, so that the index counts exactly what it has no room
 * for.
 */
function evidencePutter(
  index: AppliedIndex,
): (owner: Owner, evidence: readonly KeptEvidence[], atMs: number) => Promise<readonly Row[]> {
  const batchOf = arrivingBatches(index, (source, owner) =>
    owner === "shared" ? carrierSource(source) : tenantSource(source),
  )
  return async (owner, evidence, atMs) => {
    const batchIds = new Map<string, number>()
    for (const source of new Set(evidence.map((each) => each.source)))
      batchIds.set(source, await batchOf(owner, source, atMs))
    const entryOf = ({ source, entry }: KeptEvidence): Entry => ({
      ...readEntry(new Cursor(entry)),
      batchId: batchIds.get(source) as number,
    })
    const rows = [...byIdentity(evidence).values()].map((own) => ({
      key: (own[0] as KeptEvidence).identityKey,
      entries: own.map(entryOf),
    }))
    if (owner === "shared") await index.addSharedEvidence(rows)
    else await index.addTenantEvidence(owner, rows)
    return rows
  }
}

/**
 * A tenant's source may report anything, so its kind says nothing. Model 1.0 gives a line a
 * confidence of 0.8 unless the line states its own.
 */
function tenantSource(name: string): SourceDescription {
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

function byIdentity(evidence: readonly KeptEvidence[]): Map<string, KeptEvidence[]> {
  return Map.groupBy(evidence, ({ identityKey }) => Buffer.from(identityKey).toString("latin1"))
}
