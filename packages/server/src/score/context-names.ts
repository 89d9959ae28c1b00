import type { IdentityKey, ParsedEmail } from "@assay/core/identity"
import { sha256 } from "../secrets.ts"
import {
  CONTEXT_NAMES,
  type ContextEvent,
  type ContextName,
  NAME_BYTES,
  NAMES_BYTES,
} from "../stores/counters.ts"
import { DAY_MS } from "../time.ts"
import type { Context } from "./context.ts"
import { handleSkeleton } from "./handle-skeleton.ts"

/** Whose event it is. */
export interface ContextSubject {
  readonly parsed: ParsedEmail
  readonly key: IdentityKey
}

/** Turns a context into what the counters may know of it: nothing raw leaves this function. */
export type NameContext = (
  subject: ContextSubject,
  context: Context,
  tenantId: number | null,
) => ContextEvent

/** A service key belongs to no tenant; tenants are numbered from 1. */
const NO_TENANT = 0
const DAY_KEYS_MAX = 10_000
/** Above any number a day will have, so that tenant and day make one number. */
const DAYS_MAX = 1_000_000

/**
 * Names are 8 bytes of a keyed hash. The key changes with the tenant and with the UTC day of the event, so stored names
 * link to no other tenant, to no entry of the index, and to nothing the day after next.
 */
export function openContextNames(contextSubkey: Uint8Array): NameContext {
  const dayKeys = new Map<number, Uint8Array>()

  const dayKey = (tenantId: number, day: number): Uint8Array => {
    const id = tenantId * DAYS_MAX + day
    const known = dayKeys.get(id)
    if (known !== undefined) return known
    const key = sha256(contextSubkey, Buffer.from(`context of day ${day} for ${tenantId} `))
    if (dayKeys.size >= DAY_KEYS_MAX) dayKeys.clear()
    dayKeys.set(id, key)
    return key
  }

  return (subject, context, tenantId) => {
    const tenant = tenantId ?? NO_TENANT
    const day = Math.floor(context.atMs / DAY_MS)
    const today = dayKey(tenant, day)
    const yesterday = dayKey(tenant, day - 1)
    const names = new Uint8Array(2 * NAMES_BYTES)
    const put = (name: ContextName, kind: Uint8Array, value: Uint8Array | string | null): void => {
      if (value === null) return
      const bytes = typeof value === "string" ? Buffer.from(value) : value
      const at = CONTEXT_NAMES.indexOf(name) * NAME_BYTES
      names.set(sha256(today, kind, bytes).subarray(0, NAME_BYTES), at)
      names.set(sha256(yesterday, kind, bytes).subarray(0, NAME_BYTES), NAMES_BYTES + at)
    }
    const { parsed, key } = subject
    const { accountId, network } = context
    put("mailbox", KINDS.mailbox, key)
    if (accountId === null) put("signup", KINDS.address, parsed.exact)
    else put("signup", KINDS.account, accountId)
    if (context.deviceId === null) put("device", KINDS.browser, browserOf(context))
    else put("device", KINDS.device, context.deviceId)
    put("network", KINDS.network, network)
    put("cluster", KINDS.cluster, clusterOf(parsed))
    put("account", KINDS.account, accountId)
    return {
      tenantId: tenant,
      atSeconds: Math.floor(context.atMs / 1000),
      isSignup: context.event === "sign-up",
      names,
    }
  }
}

/** Keeps values of different kinds apart, should they ever be the same bytes. */
const KINDS = {
  mailbox: Uint8Array.of(1),
  address: Uint8Array.of(2),
  account: Uint8Array.of(3),
  device: Uint8Array.of(4),
  browser: Uint8Array.of(5),
  network: Uint8Array.of(6),
  cluster: Uint8Array.of(7),
}

/** A user agent is shared by millions and says nothing alone; within one network it stands in for a device. */
function browserOf({ network, userAgent }: Context): Uint8Array | null {
  if (network === null || userAgent === null) return null
  return Buffer.concat([Uint8Array.of(network.length), network, Buffer.from(userAgent)])
}

/** Of the mailbox, so that aliases of one are no family. */
function clusterOf({ canonical }: ParsedEmail): string {
  const at = canonical.lastIndexOf("@")
  return `${handleSkeleton(canonical.slice(0, at))}${canonical.slice(at)}`
}
