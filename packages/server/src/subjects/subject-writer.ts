import { SUBJECT_DECISIONS_MAX } from "@assay/core/contract"
import { type ExposureIndex, IndexUnavailable } from "@assay/stores/exposure-index"
import { RecordsError } from "@assay/stores/records-error"
import type { ReviewRecords } from "@assay/stores/records-reviews"
import type { SubjectChange, SubjectRecords } from "@assay/stores/records-subjects"
import { HOUR_MS } from "@assay/runtime/time"
import { eachTombstone } from "./each-tombstone.ts"
import type { Primary } from "../http/feature.ts"
import { subjectExport } from "./subject-export.ts"
import type { Subjects, SubjectInquiry } from "./subjects.ts"
import { Explained } from "@assay/runtime/explained"

type WriterOptions = Pick<
  Primary,
  "tombstones" | "decisions" | "fold" | "deleteSetAside" | "forgetSignals" | "now"
> & {
  readonly records: SubjectRecords & Pick<ReviewRecords, "eraseReviews" | "reviewsOn">
  readonly index: Pick<ExposureIndex, "erase" | "holdings" | "lookup">
}

export interface SubjectWriter extends Subjects {
  /**
   * Repeats every erasure: an earlier process may have left one undone, and data may have been
   * restored, imported or folded since. Runs at every start, before the first answer. Returns how
   * many identities are erased.
   */
  repeatErasures(): Promise<number>
}

/**
 * Twenty people an hour is more than a desk can answer for, and too few to walk through a corpus.
 */
const EXPORTS_AN_HOUR = 20

/**
 * The one place in the primary that erases. The tombstone outside of the data directory is written
 * first, then the one in the records, with the reports, in one transaction: a process that dies
 * after either leaves an erasure that the next start finishes.
 */
export function openSubjectWriter(options: WriterOptions): SubjectWriter {
  const { records, tombstones, index, decisions, fold, deleteSetAside, now } = options

  const changeOf = (inquiry: SubjectInquiry, at: number): SubjectChange => {
    const { aliasTag: _, ...change } = inquiry
    return { ...change, at }
  }

  return {
    async erase(inquiry) {
      const at = now()
      const { identityKey, tenantId } = inquiry
      if (tenantId === null) await outside(tombstones.add({ identityKey, erasedAt: at }))
      const { reports } = await records.eraseSubject(changeOf(inquiry, at))
      await inIndex(index.erase(identityKey, tenantId ?? undefined))
      await fold()
      deleteSetAside()
      // Again: folding may have brought some that were still in the journals.
      await records.eraseReviews({ identityKey, tenantId, upTo: at })
      const erased = await decisions.eraseIdentity({ identityKey, tenantId, upTo: at })
      await inIndex(options.forgetSignals(Buffer.from(identityKey).toString("hex")))
      return {
        erased_at: new Date(at).toISOString(),
        scope: tenantId === null ? "everything" : "own",
        reports,
        decisions: erased,
      }
    },

    async export(inquiry) {
      const at = now()
      const { identityKey, tenantId } = inquiry
      const oldest = await records.admitExport(changeOf(inquiry, at), EXPORTS_AN_HOUR, at - HOUR_MS)
      if (oldest !== null) {
        const waitMs = Math.max(1000, oldest + HOUR_MS - at)
        return { state: "too-many", retryAfterSeconds: Math.ceil(waitMs / 1000) }
      }
      await fold()
      const [found, reports, past, reviews, tombstone] = await Promise.all([
        inIndex(index.holdings(identityKey)),
        records.reportsOn(identityKey, tenantId),
        decisions.ofIdentity({ identityKey, tenantId, limit: SUBJECT_DECISIONS_MAX }),
        records.reviewsOn(identityKey, tenantId),
        records.tombstone(identityKey),
      ])
      return {
        state: "exported",
        export: subjectExport({
          inquiry,
          found,
          reports,
          decisions: past,
          reviews,
          tombstone,
          atMs: at,
        }),
      }
    },

    repeatErasures: () =>
      eachTombstone(records, async ({ identityKey, erasedAt }) => {
        const { erased } = await inIndex(index.lookup(identityKey, null))
        if (!erased) await inIndex(index.erase(identityKey))
        await records.eraseReviews({ identityKey, tenantId: null, upTo: erasedAt })
        await decisions.eraseIdentity({ identityKey, tenantId: null, upTo: erasedAt })
      }),
  }
}

async function outside(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Explained && error.code === "tombstones")) throw error
    throw new RecordsError("unavailable", error.message, { cause: error })
  }
}

/**
 * The caller gets the same error whichever store fails: nothing can be said about the subject now.
 */
async function inIndex<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof IndexUnavailable)) throw error
    throw new RecordsError("unavailable", "The index cannot be reached", { cause: error })
  }
}
