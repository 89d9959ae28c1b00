import type { SubjectRecords } from "@assay/stores/records-subjects"
import { eachTombstone } from "./each-tombstone.ts"
import type { TombstoneFile } from "./tombstone-file.ts"

/**
 * Brings the records and the tombstones outside of the data directory in line, so that neither
 * lacks an erasure the other knows of: records may have been put back by copying files, and
 * erasures made before there was such a file. Returns how many the records lacked; the reports
 * about these are deleted, and what else is held goes with the next repetition.
 */
export async function syncTombstones(
  records: Pick<SubjectRecords, "tombstones" | "eraseAgain">,
  file: TombstoneFile,
): Promise<number> {
  const outside = new Map(file.tombstones.map((each) => [hexOf(each.identityKey), each]))
  await eachTombstone(records, async (tombstone) => {
    if (!outside.delete(hexOf(tombstone.identityKey))) await file.add(tombstone)
  })
  for (const tombstone of outside.values()) await records.eraseAgain(tombstone)
  return outside.size
}

function hexOf(key: Uint8Array): string {
  return Buffer.from(key).toString("hex")
}
