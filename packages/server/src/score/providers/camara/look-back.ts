import { DAY_MS } from "@assay/runtime/time"

/** How far back a carrier may look, as far as that is known. */
export interface LookBack {
  /** The window to ask about where `wanted` hours would be best. */
  windowHours(wanted: number, nowMs: number): number
  /**
   * Takes note that a window was too long. Gives the next shorter one; null where there is none.
   */
  shorten(refused: number, nowMs: number): number | null
}

/** CAMARA takes whole hours, from 1 to this. */
const HOURS_MAX = 2400
/** What laws and contracts name: a week, three days, one. */
const SHORTER_HOURS = [168, 72, 24] as const
/** Rules change, and a carrier can be wrong about itself once. */
const KEPT_MS = DAY_MS

export function openLookBack(configuredHours: number = HOURS_MAX): LookBack {
  let learnedHours = HOURS_MAX
  let learnedUntilMs = 0
  const learned = (nowMs: number): number => (nowMs < learnedUntilMs ? learnedHours : HOURS_MAX)
  return {
    windowHours: (wanted, nowMs) =>
      Math.max(1, Math.floor(Math.min(wanted, configuredHours, learned(nowMs)))),
    shorten(refused, nowMs) {
      const shorter = SHORTER_HOURS.find((hours) => hours < refused)
      if (shorter === undefined) return null
      // Another question may have learned more meanwhile.
      learnedHours = Math.min(shorter, learned(nowMs))
      learnedUntilMs = nowMs + KEPT_MS
      return learnedHours
    },
  }
}
