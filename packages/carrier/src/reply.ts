import { CarrierError } from "./carrier-error.ts"
import type { TrialFault } from "./script.ts"

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Empty: there is no body. */
  readonly body: string
}

/** A reply, and the fault to apply when sending it. */
export interface Outcome {
  readonly reply: Reply
  readonly fault: TrialFault | null
}

export function jsonReply(
  status: number,
  document: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(document),
  }
}

export function errorReply({ status, code, message }: CarrierError): Reply {
  return jsonReply(status, { status, code, message })
}

/** What the work gives, or the refusal it ends in. */
export function replyOf(work: () => Reply): Reply {
  try {
    return work()
  } catch (error) {
    if (error instanceof CarrierError) return errorReply(error)
    throw error
  }
}

/** The same where something may go wrong in giving the reply. A refusal is given without. */
export function outcomeOf(work: () => Outcome): Outcome {
  try {
    return work()
  } catch (error) {
    if (error instanceof CarrierError) return { reply: errorReply(error), fault: null }
    throw error
  }
}
