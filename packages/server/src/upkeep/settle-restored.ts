import { join } from "node:path"
import { type Replays, settleIndex } from "./settle-index.ts"
import { foldedDecision } from "../decisions/fold.ts"
import { knownIdentities } from "../decisions/known-identities.ts"
import type { Secrets } from "@assay/runtime/secrets"
import type { DatabasePlace } from "@assay/stores/database"
import { type Decision, ERASED_FORMAT } from "@assay/stores/decisions"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import { openRecords } from "@assay/stores/open/open-database"
import type { AuditNote } from "@assay/stores/records"
import type { Tombstone } from "@assay/stores/records-subjects"

export interface RestoredPast {
  readonly decisions: AsyncIterable<readonly Decision[]>
  /** Who was erased, also after the backup was made. */
  readonly tombstones: readonly Tombstone[]
}

/**
 * Brings a restored index in line with the records and decisions, which were copied at other
 * moments than it was.
 */
export async function settleRestored(
  place: DatabasePlace,
  { checkValue, subkeys }: Secrets,
  { decisions, tombstones }: RestoredPast,
  replays: Replays,
  note: AuditNote,
): Promise<void> {
  const index = await openLmdbIndex({ path: join(place.dataDirectory, "index") })
  try {
    await index.checkKeyCheckValue(checkValue)
    const records = await openRecords(place, { auditKey: subkeys.audit })
    try {
      for (const tombstone of tombstones) await records.eraseAgain(tombstone)
      await settleIndex(records, index, replays, note.at)
      await records.addAudit(note)
    } finally {
      await records.close()
    }
    // Decisions of the last second were still in a journal, and not yet noted in the index.
    const noteKnown = knownIdentities(index)
    for await (const page of decisions) {
      await noteKnown(page.filter(({ format }) => format !== ERASED_FORMAT).map(foldedDecision))
    }
  } finally {
    await index.close()
  }
}
