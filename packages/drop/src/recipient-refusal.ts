import type { ProblemCode } from "@assay/core/contract"

/** What recipients are refused with, on its way from the drop process to a worker. */
export type RecipientRefusalCode = Extract<
  ProblemCode,
  "drop-batch-refused" | "drop-keys-refused" | "drop-keys-exist" | "body-too-large"
>

/** A refusal in a fixed sentence: nothing of what was sent is in it. */
export class RecipientRefusal extends Error {
  override readonly name = "RecipientRefusal"
  readonly code: RecipientRefusalCode
  constructor(code: RecipientRefusalCode, message: string) {
    super(message)
    this.code = code
  }
}
