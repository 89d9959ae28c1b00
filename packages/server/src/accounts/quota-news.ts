import type { QuotaReached } from "@assay/stores/accounts"
import type { Caller } from "./callers.ts"
import type { PlanLimits } from "./plans.ts"

/**
 * Has told, once, that a key was refused because its month is used up. Only refusals come here: a
 * lookup that is answered pays nothing for it. People in the console use no key of theirs.
 */
export function openQuotaNews(
  tell: (reached: QuotaReached) => Promise<void>,
  now: () => number,
): (caller: Caller, month: string, limits: PlanLimits) => void {
  let current = ""
  const told = new Set<string>()
  return ({ keyId, person }, month, { lookupsPerMonth }) => {
    if (month !== current) told.clear()
    current = month
    if (person !== null || told.has(keyId)) return
    told.add(keyId)
    // What cannot be told now is told at the next refusal.
    tell({ keyId, month, lookupsPerMonth, at: now() }).catch(() => told.delete(keyId))
  }
}
