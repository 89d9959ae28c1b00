import type { SignalStatus } from "./signals.ts"

/** A signal's status when it has no value. */
export type FailureStatus = Exclude<SignalStatus, "ok" | "partial">

/**
 * Why a provider said nothing of a signal. It has no cause and quotes nothing: errors of `fetch`
 * and of parsers can hold the number, a token or a part of an answer.
 */
export class SignalFailure extends Error {
  override readonly name = "SignalFailure"
  readonly status: FailureStatus
  /** The provider's word or one of ours; null where the status says all. */
  readonly code: string | null
  constructor(status: FailureStatus, code: string | null) {
    super("A provider of phone signals gave no usable answer")
    this.status = status
    this.code = code
  }
}

/** For an answer that is not of the form it should have. */
export function malformed(): SignalFailure {
  return new SignalFailure("error", "malformed")
}
