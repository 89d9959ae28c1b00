import type { RequestContext } from "@assay/core/contract"
import ipaddr from "ipaddr.js"
import { checkIp, contextRefusal, readOccurredAt, readTime } from "./context-members.ts"

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

/**
 * Reads a context that fits its schema; throws a 400 Problem that names the member which cannot be
 * right.
 */
export function readContext(given: RequestContext, nowMs: number): Context {
  const atMs = readOccurredAt(given.occurred_at, nowMs)
  const signupAtMs = readTime("signup_at", given.signup_at)
  if (signupAtMs !== null && signupAtMs > atMs)
    throw contextRefusal(
      "signup_at",
      "must not be after occurred_at, which is now where it was not given",
    )
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

const IPV4_PREFIX_BYTES = 3
const IPV6_PREFIX_BYTES = 8

/**
 * The smallest network that is handed out as one: a household or a server, seldom a person's
 * address alone.
 */
function networkOf(ip: string | null): Uint8Array | null {
  if (ip === null) return null
  checkIp(ip)
  // `process` also turns an IPv4 address written as IPv6 (::ffff:192.0.2.1) back into what it is.
  const address = ipaddr.process(ip)
  const bytes = address.kind() === "ipv4" ? IPV4_PREFIX_BYTES : IPV6_PREFIX_BYTES
  return Uint8Array.from(address.toByteArray().slice(0, bytes))
}
