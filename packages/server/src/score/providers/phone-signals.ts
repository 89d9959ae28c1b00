import type { SignalResult } from "./signals.ts"

/** Whom to ask about, on whose account. */
export interface SignalQuestion {
  readonly tenantId: number
  readonly e164: string
  readonly region: string
  /** The identity key, in hexadecimal: what answers are remembered under. */
  readonly key: string
  /** Since when the number is known to be in the same hands; null where that is not known. */
  readonly sinceMs: number | null
  /**
   * The most this tenant may spend in a day, in millionths; null: what the settings give every
   * tenant.
   */
  readonly tenantCapMicros: number | null
}

/**
 * What providers said in the time there is. `off`: none is configured. `not_allowed`: the tenant's
 * plan or its own switch keeps numbers here. `failed`: the place that asks them did not answer, so
 * nothing is known. `asked` without a result: nobody can be asked about this number. A signal that
 * was asked for and is not there in time has the status `timeout`.
 */
export interface PhoneSignals {
  readonly state: "off" | "not_allowed" | "failed" | "asked"
  readonly results: readonly SignalResult[]
}

export interface SignalLookup {
  /** Within the budget, whatever happens. Never rejects. */
  look(question: SignalQuestion): Promise<PhoneSignals>
}

/** Without configured providers nobody is asked. */
export const signalsOff: SignalLookup = { look: async () => SIGNALS_OFF }

export const SIGNALS_OFF: PhoneSignals = { state: "off", results: [] }
export const SIGNALS_NOT_ALLOWED: PhoneSignals = { state: "not_allowed", results: [] }
export const SIGNALS_FAILED: PhoneSignals = { state: "failed", results: [] }
