import type { Secrets } from "@assay/runtime/secrets"
import type { StoredEvent } from "@assay/stores/records-events"
import { openSealedIdentities } from "../accounts/sealed-identity.ts"

/** An event as its owner gets it, by a webhook or by asking. */
export interface EventBody {
  readonly type: StoredEvent["kind"]
  readonly timestamp: string
  readonly data: Record<string, unknown>
}

/**
 * Writes events. The identity is opened here and nowhere else, for items whose tenant asked for it
 * with `deliver_identity`.
 */
export function openEventBodies(subkeys: Secrets["subkeys"]): (event: StoredEvent) => EventBody {
  const identities = openSealedIdentities(subkeys["sealed-identity"])
  return ({ kind, at, data, sealed, tenantId }) => {
    const identity = sealed === null || tenantId === null ? null : identities.open(sealed, tenantId)
    return {
      type: kind,
      timestamp: new Date(at).toISOString(),
      data: identity === null ? { ...data } : { ...data, identity },
    }
  }
}
