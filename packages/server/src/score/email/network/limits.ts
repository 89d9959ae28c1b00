import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import type { ProbeLimits } from "./probe.ts"

// All of these are for one worker. A resolver is near and takes many questions at once; a registry
// is shared with the world and soon refuses who asks too fast.

export const NAMES: ProbeLimits = {
  togetherMax: 64,
  waitingMax: 1000,
  namesCached: 20_000,
  failuresMax: 10,
  pauseMs: 10_000,
  failedKeepMs: 30_000,
}

export const REGISTRY: ProbeLimits = {
  togetherMax: 8,
  waitingMax: 1000,
  namesCached: 20_000,
  failuresMax: 5,
  pauseMs: 30_000,
  failedKeepMs: 60_000,
}

/**
 * How long an answer holds. A domain that takes no mail may be repaired any minute; a date of
 * registration stays.
 */
export const KEEP_MS = {
  mail: HOUR_MS,
  noMail: HOUR_MS / 6,
  mailPolicy: HOUR_MS,
  registration: DAY_MS,
  noRegistration: HOUR_MS,
}
