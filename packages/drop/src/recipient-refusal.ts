import type { ProblemCode } from "@assay/core/contract"

/** The problems that the drop process refuses recipients with; a worker passes them on. */
export type RecipientRefusalCode = Extract<
  ProblemCode,
  "drop-batch-refused" | "drop-keys-refused" | "drop-keys-exist" | "body-too-large"
>

/** Its message is a fixed sentence and quotes nothing of what was sent. */
export class RecipientRefusal extends Error {
  override readonly name = "RecipientRefusal"
  readonly code: RecipientRefusalCode
  constructor(code: RecipientRefusalCode, message: string) {
    super(message)
    this.code = code
  }
}
