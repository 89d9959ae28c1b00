import type { Sinks } from "../http/feature.ts"

/** The thread that sends to sinks, as the primary reaches it. */
export interface SinksThread extends Sinks {
  /** Events may have been added. Never rejects. */
  look(): Promise<void>
  /** The thread's registry, as JSON; null while there is no thread. */
  metrics(): Promise<object | null>
  /** Waits for what is being sent, and ends the thread. */
  close(): Promise<void>
}

/** Where none is configured nobody gets anything, and there is no thread. */
export const noSinks: SinksThread = {
  states: async () => [],
  test: async () => null,
  look: async () => undefined,
  metrics: async () => null,
  close: async () => undefined,
}
