import type { IdentityType } from "@assay/core/identity"
import type { EmailInput, PhoneInput } from "@assay/core/score"

/**
 * What a scored request leaves behind: enough to compute its answer again, and nothing that names
 * anyone.
 */
export interface DecisionDraft {
  readonly identityType: IdentityType
  readonly tenantId: number | null
  readonly keyId: string
  readonly identityKey: Uint8Array
  readonly atMs: number
  readonly modelVersion: string
  readonly input: EmailInput | PhoneInput
  readonly score: number
  readonly action: string
  /** Of an e-mail: stage and confidence. */
  readonly stage: string | null
  readonly confidence: string | null
}

/**
 * Where decisions go. `record` resolves when the decision can no longer be lost by the death of a
 * process.
 */
export interface DecisionRecorder {
  /**
   * The decision's id, or null where decisions are not kept. Throws where they are required and
   * cannot be written.
   */
  record(draft: DecisionDraft): Promise<string | null> | string | null
}

export const decisionsOff: DecisionRecorder = { record: () => null }
