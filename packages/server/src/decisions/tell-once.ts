import type { FoldedDecision, OnFolded } from "./fold.ts"
import { KeySet } from "@assay/stores/key-set"

/** Enough for a busy period. Past it, identities are passed on again, which changes nothing. */
const REMEMBERED_MAX = 200_000

/**
 * Passes each tenant's identities on once, as long as they are remembered. Most requests are about
 * identities asked about a moment ago, and passing them on again would cost more than the request.
 */
export function tellOnce(tell: OnFolded, rememberedMax = REMEMBERED_MAX): OnFolded {
  const told = new Map<number | null, KeySet>()
  let remembered = 0
  return async (decisions) => {
    const fresh = new Map<string, FoldedDecision>()
    for (const decision of decisions) {
      const { tenantId, identityKey } = decision
      if (told.get(tenantId)?.has(identityKey) === true) continue
      const name = `${tenantId} ${identityKey.toHex()}`
      if (!fresh.has(name)) fresh.set(name, decision)
    }
    if (fresh.size === 0) return
    await tell([...fresh.values()])
    // Remember them only now: after a failure the next fold passes them on again.
    if (remembered + fresh.size > rememberedMax) {
      told.clear()
      remembered = 0
    }
    remembered += fresh.size
    for (const { tenantId, identityKey } of fresh.values())
      told.getOrInsertComputed(tenantId, () => new KeySet()).add(identityKey)
  }
}
