import { isIP } from "node:net"
import type { RequestContext } from "@assay/core/contract"
import ipaddr from "ipaddr.js"
import { Problem } from "../problem.ts"
import { DAY_MS } from "../time.ts"

/** A request's `context`, read. Always with the same members: what was not given is null. */
export interface Context {
  readonly event: "sign-up" | "login" | "transaction" | "other"
  readonly atMs: number
  readonly signupAtMs: number | null
  /** The /24 of an IPv4 address, the /64 of an IPv6 one: 3 or 8 bytes. */
  readonly network: Uint8Array | null
  readonly deviceId: string | null
  readonly userAgent: string | null
  readonly accountId: string | null
  readonly anomaly: number | null
}

/** Clocks differ; more than this is a mistake. */
const AHEAD_MS = 5 * 60_000
/** What is counted is forgotten after this time, so an older event would be compared with nothing. */
const PAST_MS = 2 * DAY_MS

/** Reads a context that fits its schema; throws a 400 Problem that names the member which cannot be right. */
export function readContext(given: RequestContext, nowMs: number): Context {
  const atMs = timeOf("occurred_at", given.occurred_at) ?? nowMs
  if (atMs > nowMs + AHEAD_MS) throw refusal("occurred_at", "must not be in the future")
  if (atMs < nowMs - PAST_MS) throw refusal("occurred_at", "must be at most 48 hours ago")
  const signupAtMs = timeOf("signup_at", given.signup_at)
  if (signupAtMs !== null && signupAtMs > atMs)
    throw refusal("signup_at", "must not be after occurred_at, which is now where it was not given")
  const event = given.event ?? "other"
  return {
    event: event === "signup" ? "sign-up" : event,
    atMs,
    signupAtMs,
    network: networkOf(given.ip ?? null),
    deviceId: given.device_id ?? null,
    userAgent: given.user_agent ?? null,
    accountId: given.account_id ?? null,
    anomaly: given.anomaly ?? null,
  }
}

function timeOf(
  member: "occurred_at" | "signup_at",
  text: string | null | undefined,
): number | null {
  if (text === null || text === undefined) return null
  const ms = Date.parse(text)
  // RFC 3339 has leap seconds, which no clock of ours can show.
  if (Number.isNaN(ms)) throw refusal(member, "must be a date and time without a leap second")
  return ms
}

const IPV4_PREFIX_BYTES = 3
const IPV6_PREFIX_BYTES = 8

/** The smallest network that is handed out as one: a household or a server, seldom a person's address alone. */
function networkOf(ip: string | null): Uint8Array | null {
  if (ip === null) return null
  // The parser also takes spellings that only look like addresses, such as "1" for 0.0.0.1.
  if (isIP(ip) === 0) throw refusal("ip", "must be an IPv4 or IPv6 address")
  // `process` also turns an IPv4 address written as IPv6 (::ffff:192.0.2.1) back into what it is.
  const address = ipaddr.process(ip)
  const bytes = address.kind() === "ipv4" ? IPV4_PREFIX_BYTES : IPV6_PREFIX_BYTES
  return Uint8Array.from(address.toByteArray().slice(0, bytes))
}

function refusal(member: string, detail: string): Problem {
  return new Problem("invalid-request", "A member of the context cannot be right.", {
    errors: [{ pointer: `#/context/${member}`, detail }],
  })
}
