import { join } from "node:path"
import type { Config } from "../base/config.ts"
import { settleIndex } from "./settle-index.ts"
import { foldedDecision } from "../decisions/fold.ts"
import { knownIdentities } from "../decisions/known-identities.ts"
import type { Secrets } from "@assay/runtime/secrets"
import { type Decision, ERASED_FORMAT } from "@assay/stores/decisions"
import { openLmdbIndex } from "@assay/stores/lmdb/exposure-index"
import type { Tombstone } from "@assay/stores/records-subjects"
import { openPostgresRecords } from "@assay/stores/postgres/records"
import { openSqliteRecords } from "@assay/stores/sqlite/records"

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
  { dataDirectory, databaseUrl }: Pick<Config, "databaseUrl" | "dataDirectory">,
  { checkValue }: Secrets,
  { decisions, tombstones }: RestoredPast,
  nowMs: number,
): Promise<void> {
  const index = await openLmdbIndex({ path: join(dataDirectory, "index") })
  try {
    await index.checkKeyCheckValue(checkValue)
    const records =
      databaseUrl === null
        ? await openSqliteRecords({ file: join(dataDirectory, "records.sqlite") })
        : await openPostgresRecords({ url: databaseUrl, poolMax: 1 })
    try {
      for (const tombstone of tombstones) await records.eraseAgain(tombstone)
      await settleIndex(records, index, nowMs)
    } finally {
      await records.close()
    }
    // Those of the last second were still in a journal: the index had not heard of them.
    const tell = knownIdentities(index)
    for await (const page of decisions) {
      await tell(page.filter(({ format }) => format !== ERASED_FORMAT).map(foldedDecision))
    }
  } finally {
    await index.close()
  }
}
