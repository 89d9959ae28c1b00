import { EVIDENCE_SOURCES_MAX } from "@assay/core/contract"
import { Problem } from "../base/problem.ts"
import { type Catalogue, IndexUnavailable, type ExposureIndex } from "@assay/stores/exposure-index"
import { RecordsError } from "@assay/stores/records-error"
import type { IdempotencyClaim } from "@assay/stores/records-idempotency"
import type { LineOutcome, ObservationRecords, SentLines } from "@assay/stores/records-observations"
import { SERVICE_SOURCES } from "@assay/stores/tenant-batches"
import { openFairTurns } from "@assay/runtime/fair-turns"
import { evidenceApplier } from "./apply-evidence.ts"
import { refusedLine } from "./refusal.ts"

/** What a tenant sends with one request, before it is received. */
export type EvidenceReport = Omit<SentLines, "receivedAt">

export type Submission =
  | { readonly state: "stored"; readonly outcomes: readonly LineOutcome[] }
  | { readonly state: "running" }
  | { readonly state: "mismatch" }

/** Takes evidence in. What is stored or known is in the next score of every worker. */
export interface EvidenceIntake {
  /**
   * Stores what is new, or answers a request that was sent before under the same claim as it was
   * answered then.
   */
  submit(report: EvidenceReport, claim: IdempotencyClaim | null): Promise<Submission>
}

export interface EvidenceWriter extends EvidenceIntake {
  /** Applies what is due: what an earlier process or a failing index left undone. */
  settleDue(): Promise<void>
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>
}

/** More work than the writer can do; nothing was stored. */
export class EvidenceOverload extends Error {
  override readonly name = "EvidenceOverload"
  readonly code = "overloaded"
}

/** What may wait of all tenants: about 60 MB. */
const LINES_WAITING_MAX = 200_000

interface WriterOptions {
  readonly records: ObservationRecords
  readonly index: ExposureIndex
  readonly now: () => number
  /**
   * More lines than this waiting of one tenant means that it sends faster than disks can take them.
   */
  readonly linesWaitingMax?: number
}

/**
 * The one writer of evidence, in the primary. The lines of a request are first written to the
 * records, with its claim in the same transaction, then to the index, and only then acknowledged: a
 * process that dies in between leaves rows that are due, and the next one finds them. One request
 * after the other, so that a claim is done when nothing of its tenant is due; tenants take turns,
 * so that none waits behind all that another sent.
 */
export function openEvidenceWriter(options: WriterOptions): EvidenceWriter {
  const { records, index, now, linesWaitingMax = 30_000 } = options
  const apply = evidenceApplier(records, index)
  const turns = openFairTurns<number>({ eachMax: linesWaitingMax, allMax: LINES_WAITING_MAX })

  return {
    async submit(report, claim) {
      const { tenantId, lines: sentLines } = report
      if (!turns.hasRoom(tenantId, sentLines.length))
        throw new EvidenceOverload("Too much evidence is waiting")
      const stored = async (): Promise<Submission> => {
        const lines = withinSources(report, await index.catalogue())
        const sent = { ...report, lines, receivedAt: now() }
        const outcome = await records.addObservations(sent, claim)
        if (!("outcomes" in outcome)) return outcome
        if (outcome.state === "taken") await apply(report.tenantId, now())
        return { state: "stored", outcomes: outcome.outcomes }
      }
      return await turns.take(tenantId, sentLines.length, () => faultsNamed(stored))
    },

    async settleDue() {
      const failures: unknown[] = []
      for (const tenantId of await records.tenantsWithDueObservations()) {
        // One tenant's that fails must not keep the others' waiting.
        await turns
          .take(tenantId, 0, () => faultsNamed(() => apply(tenantId, now())))
          .catch((error: unknown) => failures.push(error))
      }
      if (failures.length > 0) throw failures[0]
    },

    idle: turns.idle,
  }
}

/** Every lookup of every tenant reads the catalogue, so no tenant may fill it with names. */
function withinSources(
  { tenantId, lines }: EvidenceReport,
  { sources }: Catalogue,
): EvidenceReport["lines"] {
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
    if (!(error instanceof IndexUnavailable)) throw error
    throw new RecordsError("unavailable", "The index cannot be written", { cause: error })
  }
}
