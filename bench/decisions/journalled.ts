import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assessEmail } from "@assay/core/score"
import { newDecisionId } from "@assay/stores/decision-id"
import { JOURNAL_HEADER, journalLine } from "../../packages/server/src/decisions/journal-line.ts"
import { currentModels } from "../../packages/server/src/score/models.ts"
import type { DecisionDraft } from "../../packages/server/src/score/decision-draft.ts"
import { inputsWith } from "../model/inputs.ts"

/** Shares as in the bench of HTTP: most addresses in most traffic are in no corpus. */
const EXPOSURES = [
  { of: 60, counts: [0] },
  { of: 30, counts: [1, 2, 3, 4] },
  { of: 9, counts: [5, 8, 11, 15] },
  { of: 1, counts: [60] },
] as const
const IDENTITIES = 50_000
const TENANTS = 5

/** The lines that workers write about a repeatable mix of requests, and when they were made. */
export class Journalled {
  readonly #drafts = drafts()
  readonly #keys = identityKeys()
  #made = 0
  #atMs: number

  readonly startMs: number

  constructor(startMs: number) {
    this.startMs = startMs
    this.#atMs = startMs
  }

  /** The moment of the newest line. */
  get atMs(): number {
    return this.#atMs
  }

  /** An identity that some decisions are about, and the tenant that asked about it. */
  get identityKey(): Uint8Array {
    return this.#keys[0] as Uint8Array
  }
  readonly tenantId = 1

  /** Leaves a directory as a worker does that has ended: one file of `count` decisions. */
  leave(journal: string, worker: string, count: number): void {
    const directory = join(journal, worker)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, "00000001.closed"), JOURNAL_HEADER + this.lines(count))
  }

  /** Five a millisecond, as at 5,000 requests a second. */
  lines(count: number): string {
    let text = ""
    for (let n = 0; n < count; n++) {
      const made = this.#made++
      if (made % 5 === 0) this.#atMs++
      // Steps that share no divisor with the counts visit all of them in a mixed order.
      const draft = this.#drafts[(made * 7919) % this.#drafts.length] as DecisionDraft
      const identity = (made * 15_485_863) % IDENTITIES
      const identityKey = this.#keys[identity] as Uint8Array
      const tenantId = 1 + (identity % TENANTS)
      text += journalLine(newDecisionId(this.#atMs), {
        ...draft,
        tenantId,
        keyId: `key_${tenantId}`,
        identityKey,
        atMs: this.#atMs,
      })
    }
    return text
  }
}

function drafts(): DecisionDraft[] {
  return EXPOSURES.flatMap(({ of, counts }) => {
    const inputs = counts.flatMap((count) => inputsWith(count))
    // 64 inputs of every count, repeated until each share has its number.
    return Array.from({ length: of * 64 }, (_, n) => draftOf(inputs[n % inputs.length] as Input))
  })
}

type Input = ReturnType<typeof inputsWith>[number]

function draftOf(input: Input): DecisionDraft {
  const assessment = assessEmail(input, currentModels.email)
  return {
    identityType: "email",
    tenantId: 1,
    keyId: "key_1",
    identityKey: new Uint8Array(16),
    atMs: 0,
    requestId: null,
    modelVersion: currentModels.email.version,
    input,
    score: assessment.risk_score,
    action: assessment.recommended_action,
    stage: assessment.threat_stage,
    confidence: assessment.confidence,
    shadow: null,
  }
}

function identityKeys(): Uint8Array[] {
  return Array.from(
    { length: IDENTITIES },
    (_, n) => new Uint8Array(createHash("sha256").update(`identity ${n}`).digest().subarray(0, 16)),
  )
}
