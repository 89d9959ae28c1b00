import {
  CONTEXT_NAMES,
  type ContextEvent,
  type ContextName,
  NAME_BYTES,
  NAMES_BYTES,
  type Velocity,
} from "../counters.ts"
import { DayWindows } from "./day-windows.ts"
import type { WindowName } from "./window-table.ts"

export const DAY_SECONDS = 86_400

export interface VelocityBounds {
  /** Entries of all windows together, about five a sign-up and 30 bytes each. */
  readonly entriesMax: number
  /** Members of one window and day. A model that stops counting at six needs no more. */
  readonly membersMax: number
}

const BOUNDS: VelocityBounds = { entriesMax: 6_000_000, membersMax: 500 }

/** The windows that sign-ups are entered into, each with the name that it counts. */
const WINDOWS = [
  { window: "device", member: "mailbox" },
  { window: "network", member: "mailbox" },
  { window: "cluster", member: "mailbox" },
  { window: "mailbox", member: "signup" },
  { window: "account", member: "mailbox" },
] as const satisfies readonly { window: ContextName; member: ContextName }[]

export interface EmbeddedVelocity {
  velocity(event: ContextEvent): Velocity
  /**
   * Removes what happened more than 47 hours ago: called every hour, nothing is held for more than
   * 48.
   */
  forget(): void
  /** Entries held now. */
  readonly size: number
}

/**
 * Sign-ups in memory, a table for each UTC day of the events. A window of 24 hours is spread over
 * two tables, under a different name in each. A member found under yesterday's name moves to
 * today's, so it is in one of the two.
 *
 * Names look one day back and not ahead: a mailbox that signs up before and after midnight,
 * reported in the wrong order, counts twice.
 */
export function embeddedVelocity(
  now: () => number,
  { entriesMax, membersMax }: VelocityBounds = BOUNDS,
): EmbeddedVelocity {
  const days = new Map<number, DayWindows>()

  const size = (): number => {
    let sum = 0
    for (const day of days.values()) sum += day.size
    return sum
  }
  const secondsAgo = (hours: number): number => Math.floor(now() / 1000) - hours * 3600
  const forget = (): void => {
    const before = secondsAgo(47)
    for (const [day, windows] of days) {
      if ((day + 1) * DAY_SECONDS <= before) days.delete(day)
      else if (day * DAY_SECONDS < before) windows.removeBefore(before)
    }
  }
  const windowsOf = (day: number): DayWindows => {
    const found = days.get(day)
    if (found !== undefined) return found
    // Whole tables are removed once a day, which is often enough; `forget` removes the rest of a
    // day.
    forget()
    const made = new DayWindows()
    days.set(day, made)
    return made
  }
  /** Removes the oldest entry of the oldest day. */
  const makeRoom = (): void => {
    for (const day of [...days.keys()].sort((a, b) => a - b))
      if (days.get(day)?.removeOldest() === true) return
  }

  /**
   * Takes a member out of yesterday's window and returns when it first signed up; null if it was
   * not there.
   */
  const takeFromYesterday = (
    event: ContextEvent,
    window: ContextName,
    member: ContextName,
  ): number | null => {
    const yesterday = days.get(Math.floor(event.atSeconds / DAY_SECONDS) - 1)
    const name = nameOf(event, window, 1)
    if (yesterday === undefined || name === null) return null
    const who = memberOf(event, member, 1)
    const first = yesterday.first(name, who)
    if (first < 0) return null
    yesterday.remove(name, who)
    return first
  }

  const record = (event: ContextEvent): number => {
    const { atSeconds } = event
    const day = Math.floor(atSeconds / DAY_SECONDS)
    const today = windowsOf(day)
    let dropped = 0
    for (const { window, member } of WINDOWS) {
      const name = nameOf(event, window, 0)
      if (name === null) continue
      const who = memberOf(event, member, 0)
      if (today.extend(name, who, atSeconds)) continue
      if (today.members(name) >= membersMax) {
        dropped++
        continue
      }
      const first = takeFromYesterday(event, window, member)
      if (size() >= entriesMax) {
        makeRoom()
        dropped++
      }
      today.add(name, who, first ?? atSeconds, atSeconds)
    }
    return dropped
  }

  const count = (event: ContextEvent, window: ContextName): number | null => {
    const name = nameOf(event, window, 0)
    const nameBefore = nameOf(event, window, 1)
    if (name === null || nameBefore === null) return null
    const { atSeconds } = event
    const day = Math.floor(atSeconds / DAY_SECONDS)
    const after = atSeconds - DAY_SECONDS
    return (
      (days.get(day)?.count(name, after, atSeconds) ?? 0) +
      (days.get(day - 1)?.count(nameBefore, after, atSeconds) ?? 0)
    )
  }

  const firstSignup = (event: ContextEvent, window: "account" | "mailbox"): number | null => {
    const name = nameOf(event, window, 0)
    const nameBefore = nameOf(event, window, 1)
    if (name === null || nameBefore === null) return null
    const { atSeconds } = event
    const day = Math.floor(atSeconds / DAY_SECONDS)
    const first = Math.min(
      days.get(day)?.earliest(name, atSeconds) ?? Infinity,
      days.get(day - 1)?.earliest(nameBefore, atSeconds) ?? Infinity,
    )
    return first === Infinity ? null : first
  }

  return {
    velocity(event) {
      const { atSeconds, isRecorded } = event
      // An event that is past already when it arrives, as in an old journal, is not recorded.
      const dropped = isRecorded && atSeconds >= secondsAgo(48) ? record(event) : 0
      return {
        device: count(event, "device"),
        network: count(event, "network"),
        cluster: count(event, "cluster"),
        mailbox: count(event, "mailbox") ?? 0,
        firstSignupSeconds: firstSignup(event, "account") ?? firstSignup(event, "mailbox"),
        dropped,
      }
    },
    forget,
    get size() {
      return size()
    },
  }
}

/**
 * A name under the key of the event's day (0) or of the day before (1); null where the event has
 * none.
 */
function nameOf(event: ContextEvent, name: ContextName, daysBefore: 0 | 1): WindowName | null {
  const { names, tenantId } = event
  const at = daysBefore * NAMES_BYTES + CONTEXT_NAMES.indexOf(name) * NAME_BYTES
  const high = wordAt(names, at)
  const low = wordAt(names, at + 4)
  if (high === 0 && low === 0) return null
  // Names differ by tenant already; this keeps tenants apart also where a caller forgot that.
  return { high: (high ^ tenantId) >>> 0, low: (low ^ Math.imul(tenantId, SPREAD)) >>> 0 }
}

/** 2^32 divided by the golden ratio: neighbouring numbers land far apart. */
const SPREAD = 0x9e3779b1

function memberOf(event: ContextEvent, name: ContextName, daysBefore: 0 | 1): number {
  const at = daysBefore * NAMES_BYTES + CONTEXT_NAMES.indexOf(name) * NAME_BYTES
  return wordAt(event.names, at)
}

function wordAt(bytes: Uint8Array, at: number): number {
  const byte = (offset: number): number => bytes[at + offset] ?? 0
  return ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0
}
