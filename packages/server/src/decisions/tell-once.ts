import type { FoldedDecision, OnFolded } from "./fold.ts"

/**
 * Enough for the identities of a busy while; past it they are told of again, which changes nothing.
 */
const REMEMBERED_MAX = 200_000

/**
 * Tells of each tenant's identities once, as long as they are remembered. Most requests are about
 * identities that were asked about a moment ago, and telling of them again would cost more than the
 * request.
 */
export function tellOnce(tell: OnFolded, rememberedMax = REMEMBERED_MAX): OnFolded {
  const told = new Set<string>()
  return async (decisions) => {
    const fresh = new Map<string, FoldedDecision>()
    for (const decision of decisions) {
      const name = nameOf(decision)
      if (!told.has(name) && !fresh.has(name)) fresh.set(name, decision)
    }
    if (fresh.size === 0) return
    await tell([...fresh.values()])
    // Only now: what could not be told is told again with the next fold.
    if (told.size + fresh.size > rememberedMax) told.clear()
    for (const name of fresh.keys()) told.add(name)
  }
}

function nameOf({ tenantId, identityKey }: FoldedDecision): string {
  return `${tenantId ?? ""} ${Buffer.from(identityKey).toString("base64")}`
}
