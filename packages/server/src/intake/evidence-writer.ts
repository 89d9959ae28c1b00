import { EVIDENCE_SOURCES_MAX } from "@assay/core/contract"
import { openFairTurns } from "@assay/runtime/fair-turns"
import { openTurns } from "@assay/runtime/turns"
import { SERVICE_SOURCES } from "@assay/stores/arriving-batches"
import {
  BatchRefused,
  type Catalogue,
  type ExposureIndex,
  IndexUnavailable,
  type Owner,
} from "@assay/stores/exposure-index"
import { RecordsError } from "@assay/stores/records-error"
import type {
  EvidenceOutcome,
  EvidenceRecords,
  LineOutcome,
  LinesOutcome,
  SentEvidence,
  SentLines,
} from "@assay/stores/records-evidence"
import type { IdempotencyClaim } from "@assay/stores/records-idempotency"
import { Problem } from "../base/problem.ts"
import { writerPort } from "../base/writer-port.ts"
import { evidenceApplier } from "./apply-evidence.ts"
import { openRates, takenInTurn } from "./notification-queues.ts"
import { notTaken, refusedLine } from "./refusal.ts"
import { TENANTS_AT_ONCE } from "./tenants-at-once.ts"
import { onceNoted } from "./once-noted.ts"

/** What a tenant sends with one request, before it is received. */
export interface EvidenceReport extends Pick<SentLines, "lines"> {
  readonly tenantId: number
  readonly keyId: string
}

/** A tenant does not learn who had their data erased. */
export type TenantOutcome = Exclude<LineOutcome, "erased">

export type Submission =
  | { readonly state: "stored"; readonly outcomes: readonly TenantOutcome[] }
  | { readonly state: "running" }
  | { readonly state: "mismatch" }

/** Takes evidence in. What is stored or known is in the next score of every worker. */
export interface EvidenceIntake {
  /**
   * Stores the new lines of a tenant's own evidence. A request sent again under the same claim gets
   * the same answer.
   */
  submit(report: EvidenceReport, claim: IdempotencyClaim | null): Promise<Submission>
  /** Stores what a carrier notifies us of, which counts for every tenant. */
  notify(notification: SentEvidence): Promise<EvidenceOutcome>
}

export const evidencePort = writerPort<EvidenceIntake>("evidence", { submit: true, notify: true })

export interface EvidenceWriter extends EvidenceIntake {
  /** Applies what is due: what an earlier process or a failing index left undone. */
  settleDue(): Promise<void>
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>
}

/** What may wait of all tenants: about 60 MB. */
const LINES_WAITING_MAX = 200_000

/**
 * The most notifications of one carrier in a second. Among 50 million lines a SIM changes about
 * every four seconds; this leaves room for what was held back for a while.
 */
export const NOTIFICATIONS_PER_SECOND = 500

/** Notifications of one write: more would keep the next carrier's waiting. */
const TOGETHER_MAX = 500

interface WriterOptions {
  readonly records: EvidenceRecords
  readonly index: ExposureIndex
  readonly now: () => number
  /**
   * Drops what is remembered of an identity, by its key in hexadecimal: the index says something
   * newer for everybody. Never rejects.
   */
  readonly forget?: (key: string) => Promise<void>
  /**
   * More lines than this waiting of one tenant means that it sends faster than disks can take them.
   */
  readonly linesWaitingMax?: number
  readonly notificationsPerSecond?: number
  /** The same for notifications of one carrier. */
  readonly notificationsWaitingMax?: number
}

interface Waiting {
  readonly notification: SentEvidence
  readonly stored: (outcome: EvidenceOutcome) => void
  readonly failed: (error: unknown) => void
}

/**
 * The one writer of evidence, in the primary. It is first written to the records, a request's claim
 * in the same transaction, then to the index, and only then acknowledged. That the index has it is
 * noted last, for which no tenant waits: a process that dies before leaves rows that are due, and
 * the next one finds them.
 *
 * A tenant's requests are taken one after the other, so that a claim is done when nothing of its
 * tenant is due; tenants take turns, a few at once, so that none waits behind all that another
 * sent, or until the disk has what another sent. Notifications that come while others are written
 * go together with the next write, since each one waits for the disk; carriers take turns in
 * filling it.
 */
export function openEvidenceWriter(options: WriterOptions): EvidenceWriter {
  const { records, index, now, forget = async () => undefined } = options
  const { linesWaitingMax = 30_000, notificationsWaitingMax = 2_000 } = options
  const apply = evidenceApplier(records, index)
  const turns = openFairTurns<number>({
    eachMax: linesWaitingMax,
    allMax: LINES_WAITING_MAX,
    atOnce: TENANTS_AT_ONCE,
  })
  const sharedTurns = openTurns()
  const rates = openRates(options.notificationsPerSecond ?? NOTIFICATIONS_PER_SECOND, now)
  const waiting = new Map<string, Waiting[]>()
  let scheduled = false

  const applyDue = async (owner: Owner, onIndexed?: () => void): Promise<void> => {
    let forgotten: Promise<unknown> = Promise.resolve()
    await apply(owner, now(), (about) => {
      onIndexed?.()
      if (owner === "shared")
        forgotten = Promise.all(about.map((key) => forget(Buffer.from(key).toString("hex"))))
    })
    await forgotten
  }

  const store = (
    sent: Omit<SentLines, "receivedAt">,
    claim: IdempotencyClaim | null,
    answer?: (outcome: LinesOutcome) => void,
  ) =>
    faultsNamed(async (): Promise<LinesOutcome> => {
      const lines =
        sent.owner === "shared"
          ? sent.lines
          : withinSources(sent.owner, sent.lines, await index.catalogue())
      const outcome = await records.addEvidence({ ...sent, lines, receivedAt: now() }, claim)
      // Also if every line was known: a line may still be due after a failure.
      if (outcome.state === "taken") await applyDue(sent.owner, () => answer?.(outcome))
      return outcome
    })

  const storeWaiting = async (): Promise<void> => {
    scheduled = false
    const together = takenInTurn(waiting, TOGETHER_MAX)
    if (waiting.size > 0) schedule()
    try {
      const lines = together.map(({ notification }) => notification)
      const taken = await store({ owner: "shared", keyId: null, lines }, null)
      const outcomes = "outcomes" in taken ? taken.outcomes : []
      together.forEach(({ stored }, i) => stored(outcomes[i] as EvidenceOutcome))
    } catch (error) {
      for (const { failed } of together) failed(error)
    }
  }

  const schedule = (): void => {
    if (scheduled) return
    scheduled = true
    void sharedTurns.take(storeWaiting)
  }

  return {
    async submit({ tenantId, keyId, lines }, claim) {
      if (!turns.hasRoom(tenantId, lines.length))
        throw notTaken("overloaded", "Too much evidence is waiting")
      const taken = await onceNoted(() =>
        turns.take<LinesOutcome>(tenantId, lines.length, (answer) =>
          store({ owner: tenantId, keyId, lines }, claim, answer),
        ),
      )
      if (!("outcomes" in taken)) return taken
      const outcomes = taken.outcomes.map((each) => (each === "erased" ? "stored" : each))
      return { state: "stored", outcomes }
    },

    async notify(notification) {
      const { source } = notification
      const own = waiting.get(source) ?? []
      if (own.length >= notificationsWaitingMax)
        throw notTaken("overloaded", "Too many notifications are waiting")
      if (!rates.admit(source))
        throw notTaken("rate-limited", "The carrier sends too many notifications")
      return await new Promise<EvidenceOutcome>((stored, failed) => {
        own.push({ notification, stored, failed })
        waiting.set(source, own)
        schedule()
      })
    },

    async settleDue() {
      const failures: unknown[] = []
      for (const owner of await records.ownersWithDueEvidence()) {
        const settle = (): Promise<void> => faultsNamed(() => applyDue(owner))
        const settled = owner === "shared" ? sharedTurns.take(settle) : turns.take(owner, 0, settle)
        // A failure of one owner must not hold up the others.
        await settled.catch((error: unknown) => failures.push(error))
      }
      if (failures.length > 0) throw failures[0]
    },

    async idle() {
      await Promise.all([turns.idle(), sharedTurns.idle()])
    },
  }
}

/** Every lookup of every tenant reads the catalogue, so no tenant may fill it with names. */
function withinSources(
  tenantId: number,
  lines: SentLines["lines"],
  { sources }: Catalogue,
): SentLines["lines"] {
  const names = new Set<string>()
  for (const { owner, name } of sources.values()) {
    if (owner === tenantId && !SERVICE_SOURCES.has(name)) names.add(name)
  }
  return lines.map((line) => {
    if ("refusal" in line) return line
    if (!names.has(line.source) && names.size >= EVIDENCE_SOURCES_MAX) return tooManySources
    names.add(line.source)
    return line
  })
}

const tooManySources = refusedLine(
  new Problem("invalid-request", "A member of the line does not fit.", {
    errors: [
      {
        pointer: "#/source",
        detail: `is new, and this tenant has named ${EVIDENCE_SOURCES_MAX} sources already`,
      },
    ],
  }),
)

async function faultsNamed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // A source that is removed at this moment begins anew with the next try.
    const passes = error instanceof IndexUnavailable || error instanceof BatchRefused
    if (!passes) throw error
    throw new RecordsError("unavailable", "The index cannot be written", { cause: error })
  }
}
