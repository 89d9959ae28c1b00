export interface ProviderLimits {
  /** Calls to one provider at once, and how many may wait for one to end. */
  readonly togetherMax: number
  readonly waitingMax: number
  /** Failed calls one after the other that stop the asking, and for how long. */
  readonly failuresMax: number
  readonly pauseMs: number
  /** How long a provider is left alone after it said that it was asked too often. */
  readonly rateLimitedPauseMs: number
  /** Calls that earn one retry, and the most retries that can be saved up. */
  readonly callsPerRetry: number
  readonly savedMax: number
}

export const PROVIDER_LIMITS: ProviderLimits = {
  togetherMax: 32,
  waitingMax: 500,
  failuresMax: 5,
  pauseMs: 10_000,
  rateLimitedPauseMs: 5_000,
  callsPerRetry: 10,
  savedMax: 10,
}

/** Answers kept in memory: some tens of megabytes, and a quarter of an hour of a busy service. */
export const ANSWERS_MAX = 100_000

/**
 * Time an answer waits for providers, and time a provider has for a call, unless the settings say
 * otherwise.
 */
export const BUDGET_MS = 150
export const TIMEOUT_MS = 2_000
