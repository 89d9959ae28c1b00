import type { IdentityKey } from "@assay/core/identity"
import { sha256 } from "@assay/runtime/secrets"
import { DAY_MS } from "@assay/runtime/time"
import { CONTEXT_NAMES, type ContextEvent, NAME_BYTES, NAMES_BYTES } from "@assay/stores/counters"
import { NAME_KINDS, NO_TENANT, openContextKeys } from "../context-names.ts"
import { askVelocity, type VelocityOptions } from "../velocity.ts"
import type { PhoneContext } from "./phone-context.ts"

export interface VelocityOfNumbers {
  /**
   * Records that an account used a number, and counts the tenant's accounts that did in 24 hours.
   * Never throws: null where the counters could not be asked, which is not the same as none.
   */
  accounts24h(
    key: IdentityKey,
    context: PhoneContext,
    tenantId: number | null,
  ): Promise<number | null>
}

export function openVelocityOfNumbers(options: VelocityOptions): VelocityOfNumbers {
  const nameUse = openNumberNames(options.secrets.subkeys.context)
  return {
    async accounts24h(key, context, tenantId) {
      const found = await askVelocity(() => nameUse(key, context, tenantId), options)
      return found === null ? null : found.mailbox
    },
  }
}

/** Turns the use of a number into what the counters may know: nothing raw leaves this function. */
type NameNumberUse = (
  key: IdentityKey,
  context: PhoneContext,
  tenantId: number | null,
) => ContextEvent

const NUMBER_AT = CONTEXT_NAMES.indexOf("mailbox") * NAME_BYTES
const ACCOUNT_AT = CONTEXT_NAMES.indexOf("signup") * NAME_BYTES

/**
 * A number stands where the counters have a mailbox and the account that uses it where they have a
 * sign-up, so that they count different accounts a number. The kinds are its own: no mailbox ever
 * shares a name with a number.
 */
export function openNumberNames(contextSubkey: Uint8Array): NameNumberUse {
  const dayKey = openContextKeys(contextSubkey)
  return (key, { atMs, accountId, deviceId }, tenantId) => {
    const tenant = tenantId ?? NO_TENANT
    const day = Math.floor(atMs / DAY_MS)
    const kind = accountId === null ? NAME_KINDS.numberDevice : NAME_KINDS.numberAccount
    const account = accountId ?? deviceId
    const bytes = account === null ? null : Buffer.from(account)
    const names = new Uint8Array(2 * NAMES_BYTES)
    for (const daysBefore of [0, 1]) {
      const under = dayKey(tenant, day - daysBefore)
      const from = daysBefore * NAMES_BYTES
      names.set(sha256(under, NAME_KINDS.number, key).subarray(0, NAME_BYTES), from + NUMBER_AT)
      if (bytes === null) continue
      names.set(sha256(under, kind, bytes).subarray(0, NAME_BYTES), from + ACCOUNT_AT)
    }
    return {
      tenantId: tenant,
      atSeconds: Math.floor(atMs / 1000),
      // Without an account it cannot be distinguished from others: it is compared and not counted.
      isRecorded: bytes !== null,
      names,
    }
  }
}
