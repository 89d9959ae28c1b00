import type { NumberType } from "@assay/core/identity"
import { DAY_MS, HOUR_MS } from "@assay/runtime/time"
import { type ChangeSpan, JUST_UNDER_DAYS, newerChange } from "./change-span.ts"
import type { LastChange, SignalName, SignalResult, SignalValues } from "../providers/signals.ts"

/** What a source says did not happen in the days before it was asked. */
export interface Affirmed {
  readonly days: number
  /** How long ago it was said, in days. */
  readonly age: number
}

/** What a source says is so. */
export interface Stated<T> {
  readonly value: T
  /** As of how long ago, in days. */
  readonly age: number
}

/**
 * What providers know of a number, in the words of the model. null is always "nobody could say".
 */
export interface SignalFacts {
  readonly simChange: ChangeSpan | null
  readonly simUnchanged: Affirmed | null
  readonly deviceChange: ChangeSpan | null
  readonly deviceUnchanged: Affirmed | null
  readonly port: ChangeSpan | null
  readonly recycled: boolean | null
  readonly callForwarding: Stated<boolean> | null
  readonly active: Stated<boolean> | null
  /** True, or not known: a handset that cannot be reached may be switched off. */
  readonly reachable: true | null
  readonly roaming: boolean | null
  readonly tenure: SignalValues["tenure"] | null
  readonly contract: "prepaid" | "postpaid" | null
  readonly lineType: NumberType | null
  /** Somebody who knows SIM cards and handsets knows this number: it is a mobile one. */
  readonly hasSim: boolean
}

export const NO_SIGNAL_FACTS: SignalFacts = {
  simChange: null,
  simUnchanged: null,
  deviceChange: null,
  deviceUnchanged: null,
  port: null,
  recycled: null,
  callForwarding: null,
  active: null,
  reachable: null,
  roaming: null,
  tenure: null,
  contract: null,
  lineType: null,
  hasSim: false,
}

/**
 * Reads what was answered. The order of the results does not matter, and what carries no value says
 * nothing.
 */
export function signalFacts(results: readonly SignalResult[], nowMs: number): SignalFacts {
  if (results.length === 0) return NO_SIGNAL_FACTS
  const usable = results.filter(saysSomething)
  const sim = changesOf("sim_change", usable, nowMs)
  const device = changesOf("device_change", usable, nowMs)
  const tenure = latestOf("tenure", usable, nowMs)?.value ?? null
  return {
    simChange: sim.changed,
    simUnchanged: sim.unchanged,
    deviceChange: device.changed,
    deviceUnchanged: device.unchanged,
    port: changesOf("ported", usable, nowMs).changed,
    // One source that saw the number change hands outweighs those that did not.
    recycled: anyOf("recycled", usable),
    callForwarding: latestOf("call_forwarding", usable, nowMs),
    active: latestOf("active", usable, nowMs),
    reachable: anyOf("reachable", usable) === true ? true : null,
    roaming: latestOf("roaming", usable, nowMs)?.value.roaming ?? null,
    tenure,
    contract: tenure?.contract ?? null,
    lineType: lineTypeOf(usable, nowMs),
    hasSim: [sim, device].some(({ changed, unchanged }) => changed !== null || unchanged !== null),
  }
}

/** Only these two carry a value, whatever else stands in a result. */
function saysSomething({ status, value }: SignalResult): boolean {
  return (status === "ok" || status === "partial") && value !== undefined
}

function* resultsOf<Name extends SignalName>(
  name: Name,
  usable: readonly SignalResult[],
): Generator<SignalResult & { readonly value: SignalValues[Name] }> {
  for (const result of usable)
    if (result.signal === name) yield result as SignalResult & { value: SignalValues[Name] }
}

/** A carrier's clock may be ahead of ours; more than this is no clock but a mistake. */
const AHEAD_MS = HOUR_MS
/** No register of SIM cards is older; an older date stands for "never" or "not known". */
const EARLIEST_MS = Date.UTC(1990, 0, 1)

interface Changes {
  readonly changed: ChangeSpan | null
  readonly unchanged: Affirmed | null
}

/** The newest change anyone names, and the longest time anyone says there was none. */
function changesOf(
  name: "sim_change" | "device_change" | "ported",
  usable: readonly SignalResult[],
  nowMs: number,
): Changes {
  let changed: ChangeSpan | null = null
  let unchanged: Affirmed | null = null
  for (const result of resultsOf(name, usable)) {
    changed = newerChange(changed, spanOf(result.value, nowMs))
    const days = "none" in result.value ? windowDays(result.coveredWindow) : null
    if (days !== null && days > (unchanged?.days ?? 0))
      unchanged = { days, age: ageOf(result, nowMs) }
  }
  return { changed, unchanged }
}

function spanOf(change: LastChange, nowMs: number): ChangeSpan | null {
  if ("none" in change) return null
  if ("at" in change) {
    const ms = Date.parse(change.at)
    if (Number.isNaN(ms) || ms > nowMs + AHEAD_MS || ms < EARLIEST_MS) return null
    const days = daysFromTheHour(ms, nowMs)
    return { atLeast: days, atMost: days }
  }
  const { withinHours, notWithinHours } = change
  const atMost = Math.max(0, withinHours / 24 - JUST_UNDER_DAYS)
  return { atLeast: Math.min(atMost, (notWithinHours ?? 0) / 24), atMost }
}

/**
 * The age of a moment as evidence has it, so that the two can be compared: by the hour, and never
 * below 0.
 */
export function daysFromTheHour(ms: number, nowMs: number): number {
  return Math.max(0, (nowMs - Math.floor(ms / HOUR_MS) * HOUR_MS) / DAY_MS)
}

const WINDOW = /^(\d{1,6})([hd])$/

/**
 * The days of a covered window; null if the window is not given, since "none" then says nothing.
 */
function windowDays(window: string | undefined): number | null {
  const [, count, unit] = WINDOW.exec(window ?? "") ?? []
  if (count === undefined) return null
  return Number(count) / (unit === "h" ? 24 : 1)
}

function anyOf(name: "recycled" | "reachable", usable: readonly SignalResult[]): boolean | null {
  let any: boolean | null = null
  for (const { value } of resultsOf(name, usable)) any = any === true || value
  return any
}

/** The latest statement; of two at the same moment, that of the source that sorts first. */
function latestOf<Name extends SignalName>(
  name: Name,
  usable: readonly SignalResult[],
  nowMs: number,
): Stated<SignalValues[Name]> | null {
  let latest: (SignalResult & { readonly value: SignalValues[Name] }) | null = null
  for (const result of resultsOf(name, usable)) {
    if (latest === null || isLater(result, latest)) latest = result
  }
  return latest === null ? null : { value: latest.value, age: ageOf(latest, nowMs) }
}

function isLater(one: SignalResult, other: SignalResult): boolean {
  const [oneMs, otherMs] = [saidAt(one), saidAt(other)]
  return oneMs === otherMs ? one.source < other.source : oneMs > otherMs
}

function saidAt({ asOf, observedAt }: SignalResult): number {
  return Date.parse(asOf ?? observedAt)
}

function ageOf(result: SignalResult, nowMs: number): number {
  return Math.max(0, (nowMs - saidAt(result)) / DAY_MS)
}

/**
 * A provider that does not know the type, or calls the number invalid, knows less than the
 * numbering plan.
 */
function lineTypeOf(usable: readonly SignalResult[], nowMs: number): NumberType | null {
  const known = usable.filter(({ value }) => value !== "unknown" && value !== "invalid")
  return latestOf("line_type", known, nowMs)?.value ?? null
}
