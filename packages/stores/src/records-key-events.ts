import type { EventData, EventKind } from "@assay/core/contract"

import type { ApiKey, QuotaReached } from "./accounts.ts"
import { derivedEventId, eventId } from "./event-id.ts"
import type { Change } from "./records-audit.ts"
import type { NewEvent } from "./records-events.ts"

/** An event about a key, of the tenant it belongs to or of the service. */
function keyEvent<K extends EventKind>(
  kind: K,
  { tenantId }: ApiKey,
  at: number,
  data: EventData<K>,
): NewEvent {
  const of = { id: eventId(), tenantId, kind, at, ref: null, identityKey: null, sealed: null }
  return { ...of, data }
}

export function keyCreated(key: ApiKey, by: Change): NewEvent {
  const { scopes, expiresAt } = key
  return keyEvent("key.created", key, by.at, {
    ...named(key),
    scopes,
    expires_at: momentOf(expiresAt),
    actor: actorFor(key, by),
  })
}

/** `key` takes over from `old`, which works until `oldUntil`. */
export function keyRotated(key: ApiKey, old: ApiKey, oldUntil: number, by: Change): NewEvent {
  const { scopes, expiresAt } = key
  return keyEvent("key.rotated", key, by.at, {
    ...named(key),
    scopes,
    expires_at: momentOf(expiresAt),
    replaces: old.id,
    replaced_expires_at: new Date(Math.min(oldUntil, LATEST_MS)).toISOString(),
    actor: actorFor(key, by),
  })
}

export function keyRevoked(key: ApiKey, by: Change): NewEvent {
  return keyEvent("key.revoked", key, by.at, { ...named(key), actor: actorFor(key, by) })
}

/** Once a key and month, however many workers tell of it. */
export function keyQuotaReached(key: ApiKey, reached: QuotaReached): NewEvent {
  const { month, lookupsPerMonth, at } = reached
  const kind = "key.quota_reached"
  const data = { ...named(key), month, lookups_per_month: lookupsPerMonth }
  return { ...keyEvent(kind, key, at, data), id: derivedEventId([kind, key.id, month]) }
}

function named({ id, hint, label }: ApiKey): { key_id: string; hint: string; label: string } {
  return { key_id: id, hint, label }
}

/** As in the audit trail: a tenant learns of no user of the operator's machine. */
function actorFor({ tenantId }: ApiKey, { actor }: Change): string {
  return tenantId !== null && actor.startsWith("shell:") ? "operator" : actor
}

/** The latest moment that a date can name. */
const LATEST_MS = 8.64e15

function momentOf(ms: number | null): string | null {
  return ms === null ? null : new Date(Math.min(ms, LATEST_MS)).toISOString()
}
