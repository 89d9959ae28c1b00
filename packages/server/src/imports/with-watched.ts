import type { ImportState } from "@assay/core/contract"
import type { WatchRecords } from "@assay/stores/records-watch"
import type { KeptState } from "./import-states.ts"

export type WatchedReach = Pick<WatchRecords, "watchedInBatches" | "watchingTenants">

/**
 * States of imports with how many watched identities are in each, as far as they were looked for.
 */
export async function withWatched(
  states: readonly KeptState[],
  records: WatchedReach,
): Promise<ImportState[]> {
  const batchIds = states.flatMap(({ report }) => report?.batch ?? [])
  const isWatching = batchIds.length > 0 && (await records.watchingTenants()).length > 0
  const found = isWatching ? await records.watchedInBatches(batchIds) : []
  const ofBatch = new Map(found.map((each) => [each.batchId, each]))
  return states.map((state) => {
    if (!isWatching || state.report === null) return { ...state, watched: null }
    const { items = 0, done = false } = ofBatch.get(state.report.batch) ?? {}
    return { ...state, watched: { identities: items, complete: done } }
  })
}
