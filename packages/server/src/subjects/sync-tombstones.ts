import type { SubjectRecords } from "@assay/stores/records-subjects"
import { eachTombstone } from "./each-tombstone.ts"
import type { TombstoneFile } from "./tombstone-file.ts"

/**
 * Brings the records and the tombstone file, which lies outside of the data directory, in line:
 * each gets the erasures only the other has. Records may have been restored by copying files, and
 * erasures may be older than the file. Returns how many the records lacked. Reports about those are
 * deleted at once; the rest goes with the next repetition.
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
