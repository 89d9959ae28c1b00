import type { Catalogue, CatalogueDocument } from "../catalogue.ts"
import {
  isTombstone,
  readEntrySet,
  SHARED_ENTRIES_MAX,
  TENANT_ENTRIES_MAX,
  visibleEntries,
  type EntrySet,
} from "../entry-set.ts"
import type { Found, FoundEntry } from "../exposure-index.ts"
import type { Value } from "./buckets.ts"

/**
 * What live batches say by these values, the shared one first and then one of each tenant; null
 * where an entry names a batch that the catalogue does not know.
 */
export function foundAmong(
  stored: readonly Value[],
  tenantIds: readonly number[],
  catalogue: CatalogueDocument,
): Found | null {
  const entries: FoundEntry[] = []
  let cut = 0
  for (const [i, value] of stored.entries()) {
    if (i === 0 && isTombstone(value)) return { entries: [], cut: 0, erased: true, catalogue }
    const owner = i === 0 ? "shared" : (tenantIds[i - 1] as number)
    const set = readEntrySet(value)
    if (!isKnown(set, catalogue)) return null
    const max = owner === "shared" ? SHARED_ENTRIES_MAX : TENANT_ENTRIES_MAX
    const visible = visibleEntries(set, max, (batchId) => {
      const batch = catalogue.batches.get(batchId)
      return batch?.state === "live" && batch.owner === owner
    })
    for (const entry of visible.entries) entries.push({ ...entry, owner })
    cut += visible.cut
  }
  return { entries, cut, erased: false, catalogue }
}

function isKnown({ entries, cuts }: EntrySet, { batches }: Catalogue): boolean {
  for (const { batchId } of entries) if (!batches.has(batchId)) return false
  for (const batchId of cuts.keys()) if (!batches.has(batchId)) return false
  return true
}
