import type { EntryKind } from "@assay/stores/exposure-index"
import type { Feedback } from "@assay/stores/records-feedback"

/** One thing that a tenant's feedback says of an identity, in the words of the index. */
export interface EffectiveEvidence {
  readonly kind: EntryKind
  readonly occurredAt: number
  readonly aliasTag: number
}

type Report = Pick<
  Feedback,
  "identityType" | "outcome" | "occurredAt" | "aliasTag" | "loss" | "expiresAt" | "undoneAt"
>

/**
 * What a tenant's feedback about one identity amounts to at a moment. `reports` are all reports in
 * order of receipt: a later one overrides an earlier one, whenever the two things happened. A
 * report that was undone or has expired counts as never sent, so what it overrode applies again.
 */
export function effectiveEvidence(
  reports: readonly Report[],
  atMs: number,
): readonly EffectiveEvidence[] {
  let labels: EffectiveEvidence[] = []
  let proofs: EffectiveEvidence[] = []
  let goodHistory: EffectiveEvidence | null = null
  for (const report of reports) {
    if (report.undoneAt !== null || (report.expiresAt ?? Infinity) <= atMs) continue
    const { outcome } = report
    if (outcome === "clear") {
      labels = []
      proofs = []
      goodHistory = null
    } else if (outcome === "not_fraud") {
      labels = []
      goodHistory = longerHistory(goodHistory, report)
    } else if (outcome === "credential_rotated" || outcome === "ownership_verified") {
      proofs.push(dated(report, outcome))
    } else {
      labels.push(...labelled(report))
      // A victim's history stays good: it was not they who acted.
      if (outcome === "fraud_confirmed") goodHistory = null
    }
  }
  labels = labels.filter((label) => !isProvedSince(label, proofs))
  return [...decisive([...labels, ...proofs]), ...(goodHistory === null ? [] : [goodHistory])]
}

/**
 * The phone model knows no stages: its owner's fraud puts a number on a list, a takeover says that
 * others hold it.
 */
function labelled(report: Report): EffectiveEvidence[] {
  if (report.identityType === "phone")
    return [dated(report, report.outcome === "fraud_confirmed" ? "fraud_report" : TAKEN_OVER)]
  if (report.outcome === "fraud_confirmed") return [dated(report, "fraud_confirmed")]
  const attack = dated(report, "attack")
  return (report.loss ?? 0) > 0 ? [attack, dated(report, "monetized")] : [attack]
}

const TAKEN_OVER = "takeover_confirmed"

/**
 * A person who lost a number and proved it later has it back. Decided here, where both times are
 * exact: the index keeps only the hour.
 */
function isProvedSince(label: EffectiveEvidence, proofs: readonly EffectiveEvidence[]): boolean {
  if (label.kind !== TAKEN_OVER) return false
  return proofs.some(
    ({ kind, occurredAt }) => kind === "ownership_verified" && occurredAt > label.occurredAt,
  )
}

/** Good history begins with the first report of it. The phone model has no use for it. */
function longerHistory(known: EffectiveEvidence | null, report: Report): EffectiveEvidence | null {
  if (report.identityType === "phone") return null
  if (known !== null && known.occurredAt <= report.occurredAt) return known
  return dated(report, "good_history")
}

function dated({ occurredAt, aliasTag }: Report, kind: EntryKind): EffectiveEvidence {
  return { kind, occurredAt, aliasTag }
}

/**
 * Keeps the newest of each kind and alias, which the score rests on, and the oldest, which shows
 * how long the tenant has known the identity. So a tenant that repeats itself for years never fills
 * the places of an identity.
 */
function decisive(all: readonly EffectiveEvidence[]): EffectiveEvidence[] {
  const newest = new Map<string, EffectiveEvidence>()
  const oldest = new Map<string, EffectiveEvidence>()
  for (const each of all) {
    const alias = `${each.kind} ${each.aliasTag}`
    if (each.occurredAt >= (newest.get(alias)?.occurredAt ?? -Infinity)) newest.set(alias, each)
    if (each.occurredAt < (oldest.get(each.kind)?.occurredAt ?? Infinity))
      oldest.set(each.kind, each)
  }
  return [...new Set([...newest.values(), ...oldest.values()])]
}
