import type { SubjectExport } from "@assay/core/contract"
import type { Decision } from "@assay/stores/decisions"
import type { Found, FoundEntry, Owner } from "@assay/stores/exposure-index"
import type { Feedback } from "@assay/stores/records-feedback"
import type { Review } from "@assay/stores/records-reviews"
import type { Tombstone } from "@assay/stores/records-subjects"
import { HOUR_MS } from "@assay/runtime/time"
import type { SubjectInquiry } from "./subjects.ts"

interface Held {
  readonly inquiry: SubjectInquiry
  readonly found: Found
  readonly reports: readonly Feedback[]
  readonly decisions: readonly Decision[]
  readonly reviews: readonly Review[]
  readonly tombstone: Tombstone | null
  readonly atMs: number
}

type ExportedOwner = SubjectExport["evidence"][number]["owner"]

/**
 * Everything held about an identity, for the person who asks. Tenants other than the asking one are
 * never named.
 */
export function subjectExport(held: Held): SubjectExport {
  const { inquiry, found, reports, decisions, reviews, tombstone, atMs } = held
  const { tenantId, identityType, aliasTag } = inquiry
  const ownerOf = (owner: Owner | null): ExportedOwner =>
    owner === "shared" ? "shared" : owner !== null && owner === tenantId ? "own" : "a_tenant"
  // A tenant sees what it holds itself; showing the operator's data is up to the operator.
  const entries = found.entries.filter(({ owner }) => tenantId === null || owner === tenantId)
  return {
    exported_at: new Date(atMs).toISOString(),
    subject: identityType,
    erased_at:
      tenantId === null && tombstone !== null ? new Date(tombstone.erasedAt).toISOString() : null,
    evidence: entries.map((entry) => exportedEntry(entry, found, ownerOf(entry.owner), aliasTag)),
    evidence_cut: tenantId === null ? found.cut : 0,
    reports: reports.map(({ tenantId: of, outcome, occurredAt, receivedAt, undoneAt }) => ({
      owner: ownerOf(of),
      outcome,
      occurred_at: new Date(occurredAt).toISOString(),
      received_at: new Date(receivedAt).toISOString(),
      undone: undoneAt !== null,
    })),
    decisions: decisions.map((decision) => ({
      owner: ownerOf(decision.tenantId),
      id: decision.id,
      decided_at: new Date(decision.at).toISOString(),
      risk_score: decision.score,
      threat_stage: decision.stage,
      recommended_action: decision.action,
      model_version: decision.modelVersion,
    })),
    reviews: reviews.map(({ tenantId: of, id, ref, outcome, note, decidedAt }) => ({
      owner: ownerOf(of),
      id,
      ref,
      outcome,
      note,
      reviewed_at: decidedAt === null ? null : new Date(decidedAt).toISOString(),
    })),
  }
}

function exportedEntry(
  entry: FoundEntry,
  { catalogue }: Found,
  owner: ExportedOwner,
  aliasTag: number,
): SubjectExport["evidence"][number] {
  const source = catalogue.sources.get(catalogue.batches.get(entry.batchId)?.sourceId ?? -1)
  if (source === undefined) throw new Error("An entry names a source the catalogue does not have")
  const nameless = owner === "a_tenant"
  return {
    owner,
    kind: entry.kind,
    observed: moment(entry.hours),
    source: nameless ? null : source.name,
    title: nameless ? null : source.title,
    item: nameless ? null : entry.item,
    secret: entry.secret,
    password_fingerprint: entry.fingerprint !== null,
    classes: [...new Set([...source.classes, ...entry.classes])],
    confidence: entry.confidence ?? source.confidence,
    value: entry.value,
    this_address: entry.aliasTag === aliasTag,
  }
}

/** A day where evidence is dated by day, else its hour. */
function moment(hours: number): string {
  const text = new Date(hours * HOUR_MS).toISOString()
  return hours % 24 === 0 ? text.slice(0, "YYYY-MM-DD".length) : text
}
