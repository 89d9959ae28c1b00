import type { ParsedPhone, SpecialNumber } from "@assay/core/identity"
import { originalCarrier } from "./original-carriers.ts"

/** What the number itself shows, for the explanation. Nobody was asked. */
export interface NumberFacts {
  /** Whether a numbering plan allows the number. */
  readonly valid: boolean
  /**
   * What makes it other than an ordinary line of a person: its type, or that it is kept for fiction
   * or tests.
   */
  readonly special: SpecialNumber | null
  /** The carrier that its range was first given to; who serves it today only a provider can say. */
  readonly original_carrier: string | null
}

export function numberFacts({ e164, valid, special }: ParsedPhone): NumberFacts {
  return { valid, special, original_carrier: valid ? originalCarrier(e164) : null }
}
