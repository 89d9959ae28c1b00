import type { IdentityKey } from "@assay/core/identity"
import { sha256 } from "@assay/runtime/secrets"
import { dayOf } from "@assay/runtime/time"

/**
 * Names an identity to the count of a tenant's different identities of one day. It changes every
 * day and with the tenant, so stored tags link to no entry of the index and to no other day.
 */
export function identityTagToday(
  contextSubkey: Uint8Array,
  key: IdentityKey,
  nowMs: number,
): (tenantId: number) => Uint8Array {
  return (tenantId) =>
    sha256(contextSubkey, Buffer.from(`identity of ${dayOf(nowMs)} for ${tenantId} `), key).slice(
      0,
      8,
    )
}
