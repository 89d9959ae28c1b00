import { randomBytes } from "node:crypto"
import type { FeedbackReceipt } from "@assay/core/contract"
import { IndexUnavailable, type ExposureIndex } from "@assay/stores/exposure-index"
import { RecordsError } from "@assay/stores/records-error"
import type { FeedbackIdentity, FeedbackRecords, NewFeedback } from "@assay/stores/records-feedback"
import type { FeedbackPlace } from "@assay/stores/records-review-changes"
import { writerPort } from "../base/writer-port.ts"
import { CLAIM_MS, type IdempotencyClaim } from "@assay/stores/records-idempotency"
import { openFairTurns } from "@assay/runtime/fair-turns"
import { DAY_MS } from "@assay/runtime/time"
import { ENDED_FEEDBACK_DAYS } from "../base/retention.ts"
import { feedbackApplier } from "./apply-feedback.ts"
import { notTaken } from "./refusal.ts"
import { TENANTS_AT_ONCE } from "./tenants-at-once.ts"
import { onceNoted } from "./once-noted.ts"

/** What a tenant reports, before it has a place among its other reports. */
export type FeedbackReport = Omit<NewFeedback, "id" | "receivedAt">

export type Submission =
  | { readonly state: "stored"; readonly id: string }
  | { readonly state: "running" }
  | { readonly state: "mismatch" }

/** Takes feedback in. What is stored or undone is in the next score of every worker. */
export interface FeedbackIntake {
  /** Stores a report. A report sent again under the same claim gets the same answer. */
  submit(report: FeedbackReport, claim: IdempotencyClaim | null): Promise<Submission>
  /**
   * Takes a report back; false if the tenant has no report with this id. Repeating it changes
   * nothing.
   */
  undo(id: string, tenantId: number): Promise<boolean>
}

/** How workers, and other writers of the primary, reach it. */
export const feedbackPort = writerPort<FeedbackIntake>("feedback", { submit: true, undo: true })

/** What a transaction of another writer did to a tenant's feedback. */
export interface FeedbackChange<T> {
  readonly result: T
  /** Those whose feedback changed. */
  readonly identities: readonly FeedbackIdentity[]
}

export interface FeedbackWriter extends FeedbackIntake {
  /**
   * Has `store` change a tenant's feedback in a transaction of its own, which may store as many
   * reports as there are places. Resolves when the index says the same.
   */
  change<T>(
    tenantId: number,
    places: number,
    store: (places: readonly FeedbackPlace[]) => Promise<FeedbackChange<T>>,
  ): Promise<T>
  /**
   * Applies what is due: what an earlier process or a failing index left undone, and what has
   * expired.
   */
  settleDue(): Promise<void>
  /** Deletes what ended long ago. */
  forget(): Promise<void>
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>
}

const DUE_AT_ONCE = 100
interface WriterOptions {
  readonly records: FeedbackRecords
  readonly index: ExposureIndex
  readonly now: () => number
  /** More than this waiting of one tenant means that it sends faster than disks can take it. */
  readonly waitingMax?: number
}

/**
 * The one writer of feedback, in the primary. A report is first written to the records, with its
 * claim in the same transaction, then what follows from it to the index, and only then
 * acknowledged. That the index has it is noted last, for which nobody waits: a process that dies
 * before leaves a row that is due, and the next one finds it.
 * A tenant's one after the other, because what follows from a report depends on all its reports
 * before it; tenants take turns, a few at once, so that none waits behind all that another sent, or
 * until the disk has what another sent.
 */
export async function openFeedbackWriter(options: WriterOptions): Promise<FeedbackWriter> {
  const { records, index, now, waitingMax = 500 } = options
  const apply = feedbackApplier(records, index)
  let lastReceivedAt = (await records.newestFeedbackAt()) ?? 0
  const turns = openFairTurns<number>({ eachMax: waitingMax, atOnce: TENANTS_AT_ONCE })
  const fromCaller = async <T>(
    tenantId: number,
    work: (answer: (result: T) => void) => Promise<T>,
  ): Promise<T> => {
    if (!turns.hasRoom(tenantId, 1)) throw notTaken("overloaded", "Too much feedback is waiting")
    return await turns.take(tenantId, 1, work)
  }
  /**
   * No two reports are received at one moment, and none before an earlier one, even if the clock is
   * put back.
   */
  const receive = (): number => (lastReceivedAt = Math.max(now(), lastReceivedAt + 1))
  /** Now, but never before what was received already: that would not be due yet. */
  const moment = (): number => Math.max(now(), lastReceivedAt)
  const applyNow = async (identity: FeedbackIdentity, onIndexed?: () => void): Promise<void> => {
    try {
      await apply(identity, moment, onIndexed)
    } catch (error) {
      if (!(error instanceof IndexUnavailable)) throw error
      throw new RecordsError("unavailable", "The index cannot be written", { cause: error })
    }
  }

  return {
    submit: (report, claim) =>
      onceNoted(() =>
        fromCaller<Submission>(report.tenantId, async (answer) => {
          const receivedAt = receive()
          const receipt: FeedbackReceipt = { id: newFeedbackId(receivedAt) }
          const outcome = await records.addFeedback(
            { ...report, ...receipt, receivedAt },
            claim,
            JSON.stringify(receipt),
          )
          if (outcome.state === "done") {
            return { state: "stored", id: (JSON.parse(outcome.response) as FeedbackReceipt).id }
          }
          if (outcome.state !== "taken") return outcome
          const stored: Submission = { state: "stored", id: receipt.id }
          await applyNow(report, () => answer(stored))
          return stored
        }),
      ),

    undo: (id, tenantId) =>
      fromCaller<boolean>(tenantId, async (answer) => {
        const identity = await records.undoFeedback({ id, tenantId, at: receive() })
        if (identity === null) return false
        await applyNow(identity, () => answer(true))
        return true
      }),

    change: (tenantId, count, store) =>
      fromCaller(tenantId, async () => {
        const places = Array.from({ length: count }, () => {
          const receivedAt = receive()
          return { id: newFeedbackId(receivedAt), receivedAt }
        })
        const { result, identities } = await store(places)
        const byKey = new Map(
          identities.map((identity) => [identity.identityKey.toHex(), identity]),
        )
        for (const identity of byKey.values()) await applyNow(identity)
        return result
      }),

    async settleDue() {
      const failures: unknown[] = []
      for (let more = true; more;) {
        const due = await records.dueFeedback({ at: moment(), limit: DUE_AT_ONCE })
        for (const identity of due) {
          // A failure of one must not hold up the others.
          await turns
            .take(identity.tenantId, 1, () => applyNow(identity))
            .catch((error: unknown) => failures.push(error))
        }
        more = due.length === DUE_AT_ONCE && failures.length === 0
      }
      if (failures.length > 0) throw failures[0]
    },

    async forget() {
      await records.forgetFeedback(now() - ENDED_FEEDBACK_DAYS * DAY_MS)
      await records.forgetClaims(now() - CLAIM_MS)
    },

    idle: turns.idle,
  }
}

const TIME_DIGITS = 12
const RANDOM_BYTES = 8

/** Sorts by time. The rest is random: a counter would show one tenant how much others report. */
function newFeedbackId(receivedAt: number): string {
  const time = receivedAt.toString(16).padStart(TIME_DIGITS, "0")
  return `fb_${time}${randomBytes(RANDOM_BYTES).toString("hex")}`
}
