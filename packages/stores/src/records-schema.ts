import type { Generated } from "kysely"

/** The tables as both engines hold them: JSON as text, times in epoch milliseconds. */
export interface Schema {
  meta: { name: string; value: string }
  tenants: {
    id: Generated<number>
    name: string
    plan: string
    created_at: number
    settings: string
  }
  policies: {
    tenant_id: number
    version: number
    at: number
    actor: string
    settings: string
    reverted_to: number | null
  }
  keys: {
    id: string
    tenant_id: number | null
    hash: Uint8Array
    hint: string
    label: string
    scopes: string
    created_at: number
    expires_at: number | null
    revoked_at: number | null
    replaced_by: string | null
  }
  usage: { key_id: string; day: string; operation: string; count: number }
  daily_identities: { day: string; tenant_id: number; tag: Uint8Array }
  audit: {
    id: Generated<number>
    at: number
    actor: string
    action: string
    subject: string
    detail: string
  }
  feedback: {
    id: string
    tenant_id: number
    key_id: string
    identity_key: Uint8Array
    identity_type: string
    alias_tag: number
    outcome: string
    occurred_at: number
    received_at: number
    loss: string | null
    reference: string | null
    expires_at: number | null
    undone_at: number | null
    due_at: number | null
    claim: Uint8Array | null
  }
  tombstones: { identity_key: Uint8Array; erased_at: number }
  evidence: {
    identity_key: Uint8Array
    /** The tenant's id; 0 for what all tenants share. */
    owner: number
    source: string
    entry: Uint8Array
    event: Uint8Array | null
    key_id: string | null
    received_at: number
    due_at: number | null
  }
  idempotency: {
    key_id: string
    route: string
    key_hash: Uint8Array
    fingerprint: Uint8Array
    status: string
    response: string
    created_at: number
  }
  provider_costs: {
    day: string
    tenant_id: number
    provider: string
    calls: number
    micros: number
  }
}
