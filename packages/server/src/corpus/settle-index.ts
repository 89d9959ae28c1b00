import { applyAllEvidence } from "../evidence/apply-evidence.ts"
import { applyAllFeedback } from "../feedback/apply-feedback.ts"
import type { ExposureIndex } from "../stores/exposure-index.ts"
import type { Records } from "../stores/records.ts"

const TOMBSTONES_AT_ONCE = 500

export interface SettledIndex {
  /** Identities with feedback, with evidence of tenants, and that are erased. */
  readonly feedback: number
  readonly evidence: number
  readonly erased: number
}

/** Brings an index that was made anew or restored in line with the records, erasures first. Doing it again changes nothing. */
export async function settleIndex(
  records: Records,
  index: ExposureIndex,
  nowMs: number,
): Promise<SettledIndex> {
  const erased = await eraseAgain(records, index)
  const feedback = await applyAllFeedback(records, index, nowMs)
  const evidence = await applyAllEvidence(records, index, nowMs)
  return { feedback, evidence, erased }
}

/** Puts a tombstone where the records have one and the index lacks it; returns how many the records have. */
async function eraseAgain(
  records: Pick<Records, "tombstones">,
  index: Pick<ExposureIndex, "lookup" | "erase">,
): Promise<number> {
  let count = 0
  for (let after: Uint8Array | null = null; ;) {
    const page = await records.tombstones({ after, limit: TOMBSTONES_AT_ONCE })
    for (const { identityKey } of page) {
      if (!(await index.lookup(identityKey, null)).erased) await index.erase(identityKey)
    }
    count += page.length
    after = page.at(-1)?.identityKey ?? null
    if (page.length < TOMBSTONES_AT_ONCE) return count
  }
}
