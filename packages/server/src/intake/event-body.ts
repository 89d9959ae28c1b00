import type { Secrets } from "@assay/runtime/secrets"
import type { StoredEvent } from "@assay/stores/records-events"
import { openSealer } from "../accounts/sealed.ts"

/** What the identities of watch items are sealed for. */
export const WATCHED_IDENTITY = "watched identity"

/** Whose a sealed identity is: for another tenant it cannot be opened. */
export function sealedFor(tenantId: number | null): string {
  return `tenant:${tenantId ?? 0}`
}

/** An event as its owner gets it, by a webhook or by asking. */
export interface EventBody {
  readonly type: StoredEvent["kind"]
  readonly timestamp: string
  readonly data: object
}

/**
 * Writes events. The identity is opened here and nowhere else, for items whose tenant asked for it
 * with `deliver_identity`.
 */
export function openEventBodies(subkeys: Secrets["subkeys"]): (event: StoredEvent) => EventBody {
  const sealer = openSealer(subkeys["sealed-identity"], WATCHED_IDENTITY)
  return ({ kind, at, data, sealed, tenantId }) => {
    const identity = sealed === null ? null : sealer.open(sealed, sealedFor(tenantId))
    return {
      type: kind,
      timestamp: new Date(at).toISOString(),
      data: identity === null ? data : { ...data, identity },
    }
  }
}
