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
import { NAME_KINDS, NO_TENANT, openContextKeys } from "./context-keys.ts"
import { handleSkeleton } from "./handle-skeleton.ts"

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
