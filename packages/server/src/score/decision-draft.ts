import type { IdentityType } from "@assay/core/identity"
import type { EmailInput, PhoneInput } from "@assay/core/score"
import type { ShadowAnswer } from "@assay/stores/decisions"
import type { Asker } from "../base/asker.ts"

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
  /**
   * The input's JSON, from whoever makes it for other purposes too. With it only the settings of
   * `input` are read, whose `as_of` may be of another moment.
   */
  readonly inputJson?: () => string
  /** Of the request; null where nobody sent one. */
  readonly requestId: string | null
  /** The caller's name of the case. */
  readonly ref?: string | null
  readonly score: number
  readonly action: string
  /** Of an e-mail: stage and confidence. */
  readonly stage: string | null
  readonly confidence: string | null
  /** What the tenant's second policy makes of the same request; null where it has none. */
  readonly shadow: ShadowAnswer | null
}

/** Where decisions go. */
export interface DecisionRecorder {
  /**
   * Answers when the decision can no longer be lost by the death of a process: with its id, or with
   * null where decisions are not kept. Fails where they are required and cannot be written.
   */
  record(draft: DecisionDraft, asker: Asker<string | null>): void
}

export const decisionsOff: DecisionRecorder = {
  record: (_draft, asker) => asker.answered(null),
}
