import type { DatabasePlace } from "../database.ts"
import { embeddedNodeCounters } from "../embedded/node-counters.ts"
import type { ForgottenIdentities, ForgottenUse } from "../forgotten-identities.ts"
import type { IndexPlace } from "../index-place.ts"
import type { NodeCounters, NodeCountersUse } from "../node-counters.ts"
import { remoteIndexAt } from "./open-index.ts"

export type CountersPlace = DatabasePlace & IndexPlace

/**
 * Whether all nodes count together: where they share both the index, in whose cluster the counters
 * are, and the records, which number the tenants.
 */
export function countsAreShared({ databaseUrl, indexUrl }: CountersPlace): boolean {
  return databaseUrl !== null && indexUrl !== null
}

/** The counters of a place. This is the only code that chooses between engines. */
export async function openCounters(
  place: CountersPlace,
  use: NodeCountersUse,
): Promise<NodeCounters> {
  const remote = countsAreShared(place) ? remoteIndexAt(place) : null
  return await (remote === null ? embeddedNodeCounters(use) : remote.openCounters(place, use))
}

/** What tells all nodes of a place whom to forget; null: there is one node. */
export async function openForgotten(
  place: CountersPlace,
  use: ForgottenUse,
): Promise<ForgottenIdentities | null> {
  const remote = countsAreShared(place) ? remoteIndexAt(place) : null
  return remote === null ? null : await remote.openForgotten(place, use)
}
