import type { SubjectRecords, Tombstone } from "@assay/stores/records-subjects"

const TOMBSTONES_AT_ONCE = 500

/** Visits every identity that was erased, by key; returns how many there are. */
export async function eachTombstone(
  records: Pick<SubjectRecords, "tombstones">,
  visit: (tombstone: Tombstone) => Promise<void>,
): Promise<number> {
  let count = 0
  for (let after: Uint8Array | null = null; ;) {
    const page = await records.tombstones({ after, limit: TOMBSTONES_AT_ONCE })
    for (const tombstone of page) await visit(tombstone)
    count += page.length
    after = page.at(-1)?.identityKey ?? null
    if (page.length < TOMBSTONES_AT_ONCE) return count
  }
}
