import type { IdentityKey, ParsedEmail } from "@assay/core/identity"
import { sha256 } from "@assay/runtime/secrets"
import {
  CONTEXT_NAMES,
  type ContextEvent,
  type ContextName,
  NAME_BYTES,
  NAMES_BYTES,
} from "@assay/stores/counters"
import { DAY_MS } from "@assay/runtime/time"
import type { Context } from "./context.ts"

/** Whose event it is. */
export interface ContextIdentity {
  readonly parsed: ParsedEmail
  readonly key: IdentityKey
}

/** Turns a context into what the counters may know: nothing raw leaves this function. */
export type NameContext = (
  identity: ContextIdentity,
  context: Context,
  tenantId: number | null,
) => ContextEvent

/**
 * Names are 8 bytes of a keyed hash. The key changes with the tenant and with the UTC day of the
 * event, so stored names link to no other tenant, to no entry of the index, and to nothing the day
 * after next.
 */
export function openContextNames(contextSubkey: Uint8Array): NameContext {
  const dayKey = openContextKeys(contextSubkey)
  return (identity, context, tenantId) => {
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
    const { parsed, key } = identity
    const { accountId, network } = context
    put("mailbox", NAME_KINDS.mailbox, key)
    if (accountId === null) put("signup", NAME_KINDS.address, parsed.exact)
    else put("signup", NAME_KINDS.account, accountId)
    if (context.deviceId === null) put("device", NAME_KINDS.browser, browserOf(context))
    else put("device", NAME_KINDS.device, context.deviceId)
    put("network", NAME_KINDS.network, network)
    put("cluster", NAME_KINDS.cluster, clusterOf(parsed))
    put("account", NAME_KINDS.account, accountId)
    return {
      tenantId: tenant,
      atSeconds: Math.floor(context.atMs / 1000),
      isRecorded: context.event === "sign-up",
      names,
    }
  }
}

/**
 * A user agent is shared by millions and says nothing alone; within one network it stands in for a
 * device.
 */
function browserOf({ network, userAgent }: Context): Uint8Array | null {
  if (network === null || userAgent === null) return null
  return Buffer.concat([Uint8Array.of(network.length), network, Buffer.from(userAgent)])
}

/** Of the mailbox, so that aliases of one are no family. */
function clusterOf({ canonical }: ParsedEmail): string {
  const at = canonical.lastIndexOf("@")
  return `${handleSkeleton(canonical.slice(0, at))}${canonical.slice(at)}`
}

// Addresses made by a program come in families: a fixed text with a number that changes. The
// skeleton of a local part is what such a family has in common. It is kept narrow on purpose:
// strangers who share a skeleton would answer for each other.

const DIGITS = /\p{Nd}+/gu
const DIGIT = /\p{Nd}/gu
const LETTER = /\p{L}/u
/**
 * Letters, marks and digits in one piece; what separates them (dots, hyphens) is part of the
 * skeleton.
 */
const TOKEN = /[\p{L}\p{M}\p{Nd}]+/gu
const CHANGE = /(?<=\p{Nd})(?=[\p{L}\p{M}])|(?<=[\p{L}\p{M}])(?=\p{Nd})/gu
/** `anna8` changes once and `a2b` twice; at four the letters are as random as the digits. */
const CHANGES_MANY = 4

/**
 * What a family of generated local parts has in common: `anna.k8371` and `anna.k22` are both
 * `anna.k0`.
 *
 * - Letters and separators stay, each run of digits becomes `0`.
 * - A token in which letters and digits change places four times or more (`x7k2p9`) names nobody:
 *   its length stays.
 * - Without a letter the first half of the digits and their number stay. Some providers give out
 *   plain numbers, so numbers alone are no family; counted-up ones are.
 *
 * Takes a local part in lower case, without its tag. Numbers of different length never share a
 * skeleton.
 */
export function handleSkeleton(local: string): string {
  if (!LETTER.test(local)) return numberSkeleton(local)
  return local.replace(TOKEN, (token) =>
    (token.match(CHANGE)?.length ?? 0) >= CHANGES_MANY
      ? `~${token.length}`
      : token.replace(DIGITS, "0"),
  )
}

function numberSkeleton(local: string): string {
  let kept = Math.ceil((local.match(DIGIT)?.length ?? 0) / 2)
  return local.replace(DIGIT, (digit) => (kept-- > 0 ? digit : "0"))
}

/** A service key belongs to no tenant; tenants are numbered from 1. */
export const NO_TENANT = 0
const DAY_KEYS_MAX = 10_000
/** Above any number a day will have, so that tenant and day make one number. */
const DAYS_MAX = 1_000_000

/** The key that a tenant's names of a UTC day are made under. */
type ContextKey = (tenantId: number, day: number) => Uint8Array

export function openContextKeys(contextSubkey: Uint8Array): ContextKey {
  const dayKeys = new Map<number, Uint8Array>()
  return (tenantId, day) => {
    const id = tenantId * DAYS_MAX + day
    const known = dayKeys.get(id)
    if (known !== undefined) return known
    const key = sha256(contextSubkey, Buffer.from(`context of day ${day} for ${tenantId} `))
    if (dayKeys.size >= DAY_KEYS_MAX) dayKeys.clear()
    dayKeys.set(id, key)
    return key
  }
}

/** Keeps values of different kinds apart, should they ever be the same bytes. */
export const NAME_KINDS = {
  mailbox: Uint8Array.of(1),
  address: Uint8Array.of(2),
  account: Uint8Array.of(3),
  device: Uint8Array.of(4),
  browser: Uint8Array.of(5),
  network: Uint8Array.of(6),
  cluster: Uint8Array.of(7),
  number: Uint8Array.of(8),
  numberAccount: Uint8Array.of(9),
  numberDevice: Uint8Array.of(10),
}
