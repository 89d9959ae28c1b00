import { auditedAs } from "@assay/corpus/live-batch"
import { DAY_MS, MINUTE_MS } from "@assay/runtime/time"
import type { Batch } from "@assay/stores/exposure-index"
import type { AuditRecords } from "@assay/stores/records-audit"

const ENTRIES_AT_ONCE = 1000
/** As long as the note of a segment waits for its command to be repeated. */
const LOOKED_AFTER_DAYS = 7
/** Entries carry the clock of whichever node wrote them. */
const CLOCKS_DIFFER_MS = 10 * MINUTE_MS

/**
 * Whether the audit trail has the import of a live batch. One that is older than a command waits
 * to be repeated is taken to be there, so that the trail need not be read far back.
 */
export async function isImportAudited(
  records: Pick<AuditRecords, "audit">,
  batch: Batch,
  nowMs: number,
): Promise<boolean> {
  const since = (batch.liveAt ?? 0) - CLOCKS_DIFFER_MS
  if (nowMs - since > LOOKED_AFTER_DAYS * DAY_MS) return true
  const wanted = auditedAs(batch)
  for (let before: number | undefined; ;) {
    const entries = await records.audit({
      limit: ENTRIES_AT_ONCE,
      ...(before !== undefined && { before }),
    })
    const isThere = entries.some(
      ({ action, subject }) => action === wanted.action && subject === wanted.subject,
    )
    if (isThere) return true
    const last = entries.at(-1)
    if (last === undefined || entries.length < ENTRIES_AT_ONCE || last.at < since) return false
    before = last.id
  }
}
