import type { PhoneContext as GivenContext } from "@assay/core/contract"
import { AHEAD_MS, checkIp, contextRefusal, readOccurredAt, readTime } from "../context-members.ts"

/** A phone request's `context`, read. Always with the same members: what was not given is null. */
export interface PhoneContext {
  readonly event: "sign-up" | "login" | "transaction" | "other"
  readonly atMs: number
  readonly accountId: string | null
  readonly deviceId: string | null
  /** When the account last proved that it holds the number: to enrol with it is such a proof. */
  readonly verifiedAtMs: number | null
  /** It was proved by other means than a code or call to the number. */
  readonly verifiedIndependently: boolean
}

/** No account is older than the web; an older date mistook seconds or days for milliseconds. */
const EARLIEST_MS = Date.UTC(1990, 0, 1)

/**
 * Reads a context that fits its schema; throws a 400 Problem that names the member which cannot be
 * right.
 */
export function readPhoneContext(given: GivenContext, nowMs: number): PhoneContext {
  const atMs = readOccurredAt(given.occurred_at, nowMs)
  const enrolledAtMs = readPast("enrolled_at", given.enrolled_at, nowMs)
  const lastVerifiedAtMs = readPast("last_verified_at", given.last_verified_at, nowMs)
  const ip = given.ip ?? null
  if (ip !== null) checkIp(ip)
  const event = given.event ?? "other"
  return {
    event: event === "signup" ? "sign-up" : event,
    atMs,
    accountId: given.account_id ?? null,
    deviceId: given.device_id ?? null,
    verifiedAtMs: newest(enrolledAtMs, lastVerifiedAtMs),
    verifiedIndependently: given.verified_by === "other",
  }
}

function readPast(
  member: "enrolled_at" | "last_verified_at",
  text: string | null | undefined,
  nowMs: number,
): number | null {
  const ms = readTime(member, text)
  if (ms === null) return null
  if (ms > nowMs + AHEAD_MS) throw contextRefusal(member, "must not be in the future")
  if (ms < EARLIEST_MS) throw contextRefusal(member, "must not be before 1990")
  return ms
}

/** The later of two moments of which either may be unknown. */
export function newest(one: number | null, other: number | null): number | null {
  if (one === null) return other
  return other === null ? one : Math.max(one, other)
}
