import type { ProblemCode } from "@assay/core/contract"

/** What recipients are refused with, on its way from the drop process to a worker. */
export type OperatorRefusalCode = Extract<
  ProblemCode,
  "drop-batch-refused" | "drop-keys-refused" | "drop-keys-exist" | "body-too-large"
>

/** A refusal in a fixed sentence: nothing of what was sent is in it. */
export class OperatorRefusal extends Error {
  override readonly name = "OperatorRefusal"
  readonly code: OperatorRefusalCode
  constructor(code: OperatorRefusalCode, message: string) {
    super(message)
    this.code = code
  }
}
