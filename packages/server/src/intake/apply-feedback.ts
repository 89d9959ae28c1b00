import type { IdentityType } from "@assay/core/identity"
import type { Entry, ExposureIndex, SourceDescription } from "@assay/stores/exposure-index"
import { RecordsError } from "@assay/stores/records-error"
import type { Feedback, FeedbackIdentity, FeedbackRecords } from "@assay/stores/records-feedback"
import { arrivingBatches } from "@assay/stores/arriving-batches"
import { HOUR_MS } from "@assay/runtime/time"
import { type EffectiveEvidence, effectiveEvidence } from "./effective-evidence.ts"

type AppliedRecords = Pick<FeedbackRecords, "feedbackOf" | "settleFeedback" | "feedbackIdentities">
type AppliedIndex = Pick<
  ExposureIndex,
  "catalogue" | "openBatch" | "goLive" | "restateTenantEvidence"
>

/**
 * Brings what the index says of an identity in line with the tenant's feedback as of the moment its
 * reports are read. Doing it again changes nothing. `onIndexed` is called when the index says it,
 * before the records know.
 */
export type ApplyFeedback = (
  identity: FeedbackIdentity,
  now: () => number,
  onIndexed?: () => void,
) => Promise<void>

/**
 * Each tenant that sends feedback has one source and one batch for it. Model 1.0 gives it a
 * confidence of 0.95.
 */
const SOURCE: SourceDescription = {
  name: "feedback",
  title: "Your feedback",
  kind: "fraud_confirmed",
  confidence: 0.95,
  classes: [],
  flags: { spamList: false, fabricated: false, sensitive: false, verified: true },
  eventDate: null,
  circulates: false,
}

export function feedbackApplier(records: AppliedRecords, index: AppliedIndex): ApplyFeedback {
  const batchOf = arrivingBatches(index, () => SOURCE)
  return async (identity, now, onIndexed) => {
    const { tenantId, identityKey: key } = identity
    const batchId = await batchOf(tenantId, SOURCE.name, now())
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      let reports: readonly Feedback[] = []
      let atMs = 0
      await index.restateTenantEvidence(tenantId, batchId, key, async () => {
        reports = await records.feedbackOf(identity)
        atMs = now()
        const identityType = reports[0]?.identityType ?? "email"
        const acting = effectiveEvidence(reports.filter(hasNotEnded), atMs)
        return acting.map((each) => entryOf(each, identityType, batchId))
      })
      onIndexed?.()
      // Another node may have taken a report meanwhile, and have applied it before this did.
      if (await records.settleFeedback(identity, atMs, reports)) return
    }
    throw new RecordsError("unavailable", "Feedback comes faster than it can be applied")
  }
}

/** What one node took for expired is so for those whose clocks are behind its own. */
function hasNotEnded({ expiresAt, dueAt }: Feedback): boolean {
  return expiresAt === null || dueAt !== null
}

/** Each that fails means that another node stored a report about the same identity meanwhile. */
const ATTEMPTS_MAX = 100

const IDENTITIES_AT_ONCE = 500

/**
 * Applies all feedback there is, as an index that was made anew needs it; returns to how many
 * identities.
 */
export async function applyAllFeedback(
  records: AppliedRecords,
  index: AppliedIndex,
  atMs: number,
): Promise<number> {
  const apply = feedbackApplier(records, index)
  let count = 0
  for (let after: FeedbackIdentity | null = null; ;) {
    const page = await records.feedbackIdentities({ after, limit: IDENTITIES_AT_ONCE })
    for (const identity of page) await apply(identity, () => atMs)
    count += page.length
    after = page.at(-1) ?? null
    if (page.length < IDENTITIES_AT_ONCE) return count
  }
}

/** E-mail evidence is dated by day, telecom evidence by hour. */
function entryOf(
  { kind, occurredAt, aliasTag }: EffectiveEvidence,
  identityType: IdentityType,
  batchId: number,
): Entry {
  const hour = Math.floor(occurredAt / HOUR_MS)
  return {
    kind,
    secret: "none",
    hours: identityType === "phone" ? hour : hour - (hour % 24),
    fingerprint: null,
    aliasTag,
    batchId,
    item: null,
    confidence: null,
    classes: [],
    value: null,
  }
}
