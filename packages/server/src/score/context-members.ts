import { isIP } from "node:net"
import { Problem } from "../base/problem.ts"
import { holdsIdentity } from "../base/holds-identity.ts"
import { DAY_MS } from "@assay/runtime/time"

// What the contexts of e-mail and phone requests have in common.

/** Clocks differ; more than this is a mistake. */
export const AHEAD_MS = 5 * 60_000
/**
 * What is counted is forgotten after this time, so an older event would be compared with nothing.
 */
const PAST_MS = 2 * DAY_MS

/** When the event happened; now where that was not said. */
export function readOccurredAt(text: string | null | undefined, nowMs: number): number {
  const atMs = readTime("occurred_at", text) ?? nowMs
  if (atMs > nowMs + AHEAD_MS) throw contextRefusal("occurred_at", "must not be in the future")
  if (atMs < nowMs - PAST_MS) throw contextRefusal("occurred_at", "must be at most 48 hours ago")
  return atMs
}

/** The moment of a text that fits `date-time`; null where there is none. */
export function readTime(member: string, text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null
  const ms = Date.parse(text)
  // RFC 3339 has leap seconds, which no clock of ours can show.
  if (Number.isNaN(ms))
    throw contextRefusal(member, "must be a date and time without a leap second")
  return ms
}

/**
 * Refuses what is no address. Parsers also take spellings that only look like one, such as "1" for
 * 0.0.0.1.
 */
export function checkIp(ip: string): void {
  if (isIP(ip) === 0) throw contextRefusal("ip", "must be an IPv4 or IPv6 address")
}

/** The caller's name of the case. Refuses one that names a person, since it is kept as it is. */
export function readRef(given: { readonly ref?: string | null } | null | undefined): string | null {
  const ref = given?.ref ?? null
  if (ref !== null && holdsIdentity(ref))
    throw contextRefusal("ref", "must not hold an e-mail address or a phone number")
  return ref
}

/** What is told of the circumstances; null where nothing is, or nothing but the case's name. */
export function circumstances<C extends { readonly ref?: string | null }>(
  given: C | null | undefined,
): C | null {
  if (given == null) return null
  const { ref = null, ...others } = given
  return ref !== null && Object.values(others).every((value) => value == null) ? null : given
}

export function contextRefusal(member: string, detail: string): Problem {
  return new Problem("invalid-request", "A member of the context cannot be right.", {
    errors: [{ pointer: `#/context/${member}`, detail }],
  })
}
