import type { PastDecisions } from "@assay/stores/decisions"
import { timeOfDecisionId } from "@assay/stores/decision-id"
import type { OtherNodes } from "./other-nodes.ts"

/**
 * Decisions as a caller knows them, who may ask for one a moment after its reply: what the store
 * does not have yet is brought into it first.
 */
export function completePastDecisions(
  store: PastDecisions,
  fold: () => Promise<void>,
  others: OtherNodes,
): PastDecisions {
  return {
    async find(id) {
      const found = await store.find(id)
      if (found !== null) return found
      await fold()
      const own = await store.find(id)
      if (own !== null) return own
      await others.settled(timeOfDecisionId(id))
      return await store.find(id)
    },
    async list(query) {
      // Later pages hold decisions older than one that was listed: those are in the store.
      if (query.before === undefined) await fold()
      return await store.list(query)
    },
    async count(part) {
      if (part.before === undefined) await fold()
      return await store.count(part)
    },
  }
}
