import { applyAllEvidence } from "../intake/apply-evidence.ts"
import { applyAllFeedback } from "../intake/apply-feedback.ts"
import type { ExposureIndex } from "@assay/stores/exposure-index"
import type { Records } from "@assay/stores/records"
import { eachTombstone } from "../subjects/each-tombstone.ts"
import { applyAllNotifications } from "../intake/apply-notifications.ts"

export interface SettledIndex {
  /**
   * Identities with feedback, with evidence of tenants, with notifications, and that are erased.
   */
  readonly feedback: number
  readonly evidence: number
  readonly notifications: number
  readonly erased: number
}

/**
 * Brings an index that was made anew or restored in line with the records, erasures first. Doing it
 * again changes nothing.
 */
export async function settleIndex(
  records: Records,
  index: ExposureIndex,
  nowMs: number,
): Promise<SettledIndex> {
  const erased = await eachTombstone(records, async ({ identityKey }) => {
    if (!(await index.lookup(identityKey, null)).erased) await index.erase(identityKey)
  })
  const feedback = await applyAllFeedback(records, index, nowMs)
  const evidence = await applyAllEvidence(records, index, nowMs)
  const notifications = await applyAllNotifications(records, index, nowMs)
  return { feedback, evidence, notifications, erased }
}
