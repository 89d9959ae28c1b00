import { DAY_MS } from "@assay/runtime/time"
import type { LastChange, Precision } from "../signals.ts"
import { changeDate, INVALID_DATE } from "../change-date.ts"
import { malformed, SignalFailure } from "../signal-failure.ts"
import type { Inquiry, Operation } from "./inquiry.ts"
import { flagOf, type Members } from "./members.ts"
import type { Reading } from "./readings.ts"

type ChangeReading = Reading<"sim_change" | "device_change">

/** A century: more is no period that anybody monitored. */
const PERIOD_DAYS_MAX = 36_525

/** Reads the answer of a carrier that gives dates. */
export function readLastChange(members: Members, name: string, nowMs: number): ChangeReading {
  const { [name]: date, monitoredPeriod: days } = members
  if (typeof date === "string") {
    const at = changeDate(date, nowMs)
    if (at === null) throw new SignalFailure("error", INVALID_DATE)
    return { status: "ok", value: { at }, precision: precisionOf(date) }
  }
  if (date !== null) throw malformed()
  // No date and no period: it may have changed a minute ago.
  if (days === undefined || days === null || days === 0)
    throw new SignalFailure("no_coverage", "no_period")
  if (!Number.isInteger(days) || Number(days) < 0 || Number(days) > PERIOD_DAYS_MAX)
    throw malformed()
  return unchangedFor(`${Number(days)}d`)
}

export interface WindowQuestion {
  readonly inquiry: Inquiry
  readonly check: Operation
  readonly e164: string
  readonly lookBack: LookBack
  /** The longest window that matters. */
  readonly outerHours: number
  readonly nowMs: number
}

/** Each check is paid for, even one that only shows that a window is too long. */
export const CHECKS_MAX = 3
/** After a yes, these windows show how fresh the change is. */
const NARROWER_HOURS = [72, 24] as const

/**
 * Asks a carrier that only says yes or no: first for the longest window, then, after a yes, for
 * narrower ones.
 */
export async function askWindows(question: WindowQuestion): Promise<ChangeReading> {
  const { inquiry, check, e164, lookBack, nowMs } = question
  let checks = 0
  const changedWithin = async (maxAge: number): Promise<boolean> => {
    checks++
    return flagOf(await inquiry.post(check, { phoneNumber: e164, maxAge }), "swapped")
  }

  /** The longest window the carrier answers for, and its answer. */
  async function outermost(): Promise<{ hours: number; changed: boolean }> {
    let hours = lookBack.windowHours(question.outerHours, nowMs)
    for (;;) {
      try {
        return { hours, changed: await changedWithin(hours) }
      } catch (error) {
        if (!isTooLong(error)) throw error
        const shorter = lookBack.shorten(hours, nowMs)
        if (shorter === null || checks >= CHECKS_MAX) throw error
        hours = shorter
      }
    }
  }

  const { hours, changed } = await outermost()
  if (!changed) return unchangedFor(`${hours}h`)
  let withinHours = hours
  for (const narrower of NARROWER_HOURS) {
    if (narrower >= withinHours || checks >= CHECKS_MAX) continue
    try {
      if (!(await changedWithin(narrower))) return changedIn(withinHours, narrower)
    } catch (error) {
      // Keep the answer for the longer window.
      if (!(error instanceof SignalFailure)) throw error
      return { ...changedIn(withinHours, null), providerCode: error.code ?? error.status }
    }
    withinHours = narrower
  }
  return changedIn(withinHours, null)
}

/** Carriers that may not give the exact moment round it to whole hours or days. */
function precisionOf(date: string): Precision {
  const [, hour = "", exact = ""] = /T(\d\d)([\d:.]*)/i.exec(date) ?? []
  if (/[1-9]/.test(exact)) return "instant"
  return hour === "00" ? "day" : "hour"
}

function changedIn(withinHours: number, notWithinHours: number | null): ChangeReading {
  return reading({ withinHours, notWithinHours })
}

function unchangedFor(coveredWindow: string): ChangeReading {
  return { ...reading({ none: true }), coveredWindow }
}

function reading(value: LastChange): ChangeReading {
  return { status: "partial", value, precision: "boolean" }
}

function isTooLong(error: unknown): boolean {
  return error instanceof SignalFailure && error.code === "OUT_OF_RANGE"
}

/** How far back a carrier may look, as far as that is known. */
interface LookBack {
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
