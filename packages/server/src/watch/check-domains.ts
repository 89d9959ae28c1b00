import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import type { Records } from "@assay/stores/records"
import type { DomainWatch } from "@assay/stores/records-domain-watches"
import type { Deliveries } from "../http/feature.ts"
import { proofToken } from "./domain-proof.ts"

interface CheckOptions {
  readonly records: Pick<Records, "dueDomainWatches" | "settleDomainCheck">
  readonly proofOf: Deliveries["proofOf"]
  readonly subkey: Uint8Array
  readonly isEnding: () => boolean
  readonly now: () => number
}

/** Looked for at once, so that one that does not answer keeps few others waiting. */
const AT_ONCE = 8
/** A tenant that has just asked is about to publish it. */
const SOON_MS = 60_000

/**
 * Looks for proofs that are due: often after a domain was added, then every hour, after a week
 * every day; once it was found, every day. What could not be asked or noted is due still.
 */
export function domainChecks({
  records,
  proofOf,
  subkey,
  isEnding,
  now,
}: CheckOptions): () => Promise<void> {
  async function checkDue(): Promise<void> {
    while (!isEnding()) {
      const due = await records.dueDomainWatches({ at: now(), limit: AT_ONCE })
      await Promise.all(due.map(check))
      if (due.length < AT_ONCE) return
    }
  }

  async function check({ id, tenantId, domain, addedAt }: DomainWatch): Promise<void> {
    const token = proofToken(subkey, tenantId, domain)
    const proof = await proofOf({ domain, token })
    const at = now()
    const checkAt = at + (proof === null ? waitMs(at - addedAt) : DAY_MS)
    await records.settleDomainCheck({ id, proof, at, checkAt })
  }

  return checkDue
}

/** Until a proof that was not found is looked for again. */
function waitMs(ageMs: number): number {
  if (ageMs < HOUR_MS) return SOON_MS
  return ageMs < 7 * DAY_MS ? HOUR_MS : DAY_MS
}
