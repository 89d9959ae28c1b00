import type { DatabasePlace } from "../database.ts"
import { embeddedNodeCounters } from "../embedded/node-counters.ts"
import type { ForgottenIdentities, ForgottenUse } from "../forgotten-identities.ts"
import type { IndexPlace, SharedParts } from "../index-place.ts"
import type { NodeCounters, NodeCountersUse } from "../node-counters.ts"
import { recordsAreShared } from "./open-database.ts"
import { remoteIndexAt } from "./open-index.ts"

export type CountersPlace = DatabasePlace & IndexPlace

/**
 * What nodes have together: where they share both the index, in whose engine it is, and the
 * records, which number the tenants. Null: every node is alone.
 */
function sharedAt(place: CountersPlace): SharedParts | null {
  return recordsAreShared(place) ? (remoteIndexAt(place)?.shared ?? null) : null
}

/** Whether all nodes count together. */
export function countsAreShared(place: CountersPlace): boolean {
  return sharedAt(place) !== null
}

/** The counters of a place. This is the only code that chooses between engines. */
export async function openCounters(
  place: CountersPlace,
  use: NodeCountersUse,
): Promise<NodeCounters> {
  const shared = sharedAt(place)
  return await (shared === null ? embeddedNodeCounters(use) : shared.openCounters(place, use))
}

/** What tells all nodes of a place whom to forget; null: there is one node. */
export async function openForgotten(
  place: CountersPlace,
  use: ForgottenUse,
): Promise<ForgottenIdentities | null> {
  return (await sharedAt(place)?.openForgotten(place, use)) ?? null
}
