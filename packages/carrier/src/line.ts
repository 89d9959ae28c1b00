import { hash } from "node:crypto"
import { DAY_MS, dayOf } from "@assay/runtime/time"
import type { LineScript } from "./script.ts"

/** All that is so on a line: a script with every member filled in. */
export interface Line {
  readonly sim: Required<NonNullable<LineScript["sim"]>>
  readonly device: Required<NonNullable<LineScript["device"]>>
  readonly recycled_on: NonNullable<LineScript["recycled_on"]> | null
  readonly forwarding: NonNullable<LineScript["forwarding"]>
  readonly reachable_by: NonNullable<LineScript["reachable_by"]>
  readonly roaming: NonNullable<LineScript["roaming"]> | null
  readonly tenure: Required<NonNullable<LineScript["tenure"]>>
  readonly services: Required<NonNullable<LineScript["services"]>>
}

/**
 * The line of a number. Each member comes from the number's own script, else from the script for
 * all numbers, else from something harmless.
 */
export function lineOf(number: string, all: LineScript, own: LineScript): Line {
  const calm = calmLine(number)
  return {
    sim: { ...calm.sim, ...all.sim, ...own.sim },
    device: { ...calm.device, ...all.device, ...own.device },
    recycled_on: given(own.recycled_on, all.recycled_on, calm.recycled_on),
    forwarding: own.forwarding ?? all.forwarding ?? calm.forwarding,
    reachable_by: own.reachable_by ?? all.reachable_by ?? calm.reachable_by,
    roaming: given(own.roaming, all.roaming, calm.roaming),
    tenure: { ...calm.tenure, ...all.tenure, ...own.tenure },
    services: { ...calm.services, ...all.services, ...own.services },
  }
}

/** null is a value; only an absent member falls through to the next script. */
function given<Value>(own: Value | undefined, all: Value | undefined, calm: Value): Value {
  return own !== undefined ? own : all !== undefined ? all : calm
}

const CONTRACTS = ["PAYM", "PAYM", "PAYG", "Business"] as const
const JOINED_FROM = Date.UTC(2012, 0, 1)
const SIM_CHANGED_FROM = Date.UTC(2020, 5, 1)
const DEVICE_CHANGED_FROM = Date.UTC(2022, 5, 1)

/**
 * A subscriber of many years with nothing new. The days come from the number, so that they differ
 * from line to line and stay the same from run to run.
 */
function calmLine(number: string): Line {
  const bytes = hash("sha256", number, "buffer")
  const daysAfter = (fromMs: number, at: number, daysMax: number): number =>
    fromMs + (bytes.readUInt32BE(at) % (daysMax * 86_400)) * 1000
  const change = (changedAtMs: number): Line["sim"] => ({
    changed_at: new Date(changedAtMs).toISOString(),
    history_days: "all",
    answers: "both",
    look_back_hours: 2400,
  })
  return {
    sim: change(daysAfter(SIM_CHANGED_FROM, 0, 700)),
    device: change(daysAfter(DEVICE_CHANGED_FROM, 4, 700)),
    recycled_on: null,
    forwarding: [],
    reachable_by: ["DATA", "SMS"],
    roaming: null,
    tenure: {
      since: dayOf(daysAfter(JOINED_FROM, 8, 3000)),
      contract: CONTRACTS[bytes.readUInt8(12) % CONTRACTS.length] ?? null,
    },
    services: { voice_sms_in: "active", voice_sms_out: "active", data: "active" },
  }
}

/**
 * When the SIM or the device of a line last changed; a line that never saw a change began with one.
 */
export function lastChangeMs(line: Line, what: "sim" | "device"): number {
  return Date.parse(lastChange(line, what))
}

export function lastChange(line: Line, what: "sim" | "device"): string {
  return line[what].changed_at ?? new Date(Date.parse(line.tenure.since)).toISOString()
}

/** The newest day anywhere on earth: a later one lies in the future for everybody. */
export function latestToday(nowMs: number): string {
  return dayOf(nowMs + (14 / 24) * DAY_MS)
}
