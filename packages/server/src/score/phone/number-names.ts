import type { IdentityKey } from "@assay/core/identity"
import { NAME_KINDS, NO_TENANT, openContextKeys } from "../context-keys.ts"
import { sha256 } from "@assay/runtime/secrets"
import { CONTEXT_NAMES, type ContextEvent, NAME_BYTES, NAMES_BYTES } from "@assay/stores/counters"
import { DAY_MS } from "@assay/runtime/time"
import type { PhoneContext } from "./phone-context.ts"

/** Turns the use of a number into what the counters may know: nothing raw leaves this function. */
export type NameNumberUse = (
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
