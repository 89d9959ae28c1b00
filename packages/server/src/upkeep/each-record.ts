import type { DatabasePlace } from "@assay/stores/database"
import { copyRecords } from "@assay/stores/open/open-database"
import type { CopiedRow } from "@assay/stores/records-copy"

/** Hands over every row of the records of a service, as of one moment; it may run. */
export async function eachRecord(
  place: DatabasePlace,
  take: (row: CopiedRow) => void | Promise<void>,
): Promise<void> {
  const copy = await copyRecords(place, { readOnly: true })
  try {
    await copy.rows(take)
  } finally {
    await copy.close()
  }
}
