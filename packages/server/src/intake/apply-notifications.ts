import { Cursor } from "@assay/stores/bytes"
import { readEntry } from "@assay/stores/entry"
import type { Entry, ExposureIndex, Row } from "@assay/stores/exposure-index"
import type {
  SharedObservationRecords,
  SharedObserved,
} from "@assay/stores/records-shared-observations"
import { sharedBatches } from "@assay/stores/shared-batches"
import { carrierSource } from "./carrier-source.ts"

type DueRecords = Pick<
  SharedObservationRecords,
  "dueSharedObservations" | "settleSharedObservations"
>
type AllRecords = Pick<SharedObservationRecords, "sharedObservationsAfter">
type AppliedIndex = Pick<ExposureIndex, "catalogue" | "openBatch" | "goLive" | "addSharedEvidence">

/** Identities of one write: the primary grants leases between writes. */
const IDENTITIES_AT_ONCE = 1_000

/**
 * Puts all notifications that are due into the index and returns whom they are about. Doing it
 * again changes nothing.
 */
export type ApplyNotifications = (atMs: number) => Promise<readonly Uint8Array[]>

export function notificationApplier(records: DueRecords, index: AppliedIndex): ApplyNotifications {
  const put = observationPutter(index)
  return async (atMs) => {
    const about: Uint8Array[] = []
    for (;;) {
      const due = await records.dueSharedObservations({ identities: IDENTITIES_AT_ONCE })
      const last = due.at(-1)
      if (last === undefined) return about
      const rows = await put(due, atMs)
      await records.settleSharedObservations({ through: last.identityKey })
      for (const { key } of rows) about.push(key)
    }
  }
}

/**
 * Puts all notifications there are into an index that was made anew; returns how many identities
 * they are about.
 */
export async function applyAllNotifications(
  records: AllRecords,
  index: AppliedIndex,
  atMs: number,
): Promise<number> {
  const put = observationPutter(index)
  let count = 0
  for (let after: Uint8Array | null = null; ;) {
    const page: SharedObserved[] = await records.sharedObservationsAfter({
      after,
      identities: IDENTITIES_AT_ONCE,
    })
    const last = page.at(-1)
    if (last === undefined) return count
    count += (await put(page, atMs)).length
    after = last.identityKey
  }
}

/**
 * All observations of an identity come together, so that the index counts exactly what it has no
 * room for.
 */
function observationPutter(
  index: AppliedIndex,
): (observations: readonly SharedObserved[], atMs: number) => Promise<readonly Row[]> {
  const batchOf = sharedBatches(index, carrierSource)
  return async (observations, atMs) => {
    const batchIds = new Map<string, number>()
    for (const source of new Set(observations.map((each) => each.source)))
      batchIds.set(source, await batchOf(source, atMs))
    const rows = new Map<string, { key: Uint8Array; entries: Entry[] }>()
    for (const { identityKey, source, entry } of observations) {
      const name = Buffer.from(identityKey).toString("latin1")
      const row = rows.get(name) ?? { key: identityKey, entries: [] }
      row.entries.push({
        ...readEntry(new Cursor(entry)),
        batchId: batchIds.get(source) as number,
      })
      rows.set(name, row)
    }
    const put = [...rows.values()]
    await index.addSharedEvidence(put)
    return put
  }
}
