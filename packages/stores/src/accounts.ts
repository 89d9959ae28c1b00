import type { Change } from "./records-audit.ts"
import type { Policy, SettingsChange } from "./records-policies.ts"

/** Customers of the service. All times in this port are epoch milliseconds. */
export interface Tenant {
  id: number
  name: string
  plan: string
  createdAt: number
  settings: Record<string, unknown>
}

/** An API key without its secret: the store knows a hash of it and never gives that back. */
export interface ApiKey {
  id: string
  /** null for a service key, which belongs to no tenant. */
  tenantId: number | null
  /** What a person recognises the key by: its prefix and its last four characters. */
  hint: string
  label: string
  scopes: string[]
  createdAt: number
  /** The key is good before this moment, not at it; null never ends. */
  expiresAt: number | null
  revokedAt: number | null
  /** The key that took over when this one was rotated. */
  replacedBy: string | null
}

export interface KeyHolder {
  key: ApiKey
  tenant: Tenant | null
  /** What is computed beside the tenant's policy, where anything is. */
  shadow: { version: number; settings: Record<string, unknown> } | null
}

export interface NewTenant extends Change {
  name: string
  plan: string
}

export interface PlanChange extends Change {
  tenantId: number
  plan: string
}

export interface NewKey extends Change {
  id: string
  tenantId: number | null
  /** SHA-256 of the whole key. */
  hash: Uint8Array
  hint: string
  label: string
  scopes: readonly string[]
  expiresAt: number | null
}

/** A successor keeps tenant, label and scopes: rotating a key never widens what it may do. */
export interface KeyRotation extends Change {
  id: string
  newKey: Pick<NewKey, "id" | "hash" | "hint" | "expiresAt">
  overlapUntil: number
}

/** What is left out stays as it is. */
export interface KeyChange extends Change {
  id: string
  label?: string
  expiresAt?: number | null
}

export interface KeyRevocation extends Change {
  id: string
}

/** The lookups that a tenant may make in a month are used up, and a key was refused one. */
export interface QuotaReached {
  readonly keyId: string
  /** YYYY-MM, UTC. */
  readonly month: string
  readonly lookupsPerMonth: number
  readonly at: number
}

export interface Accounts {
  /** The first version of its policy sets nothing. */
  createTenant(tenant: NewTenant): Promise<Tenant>
  /** All tenants, oldest first. */
  tenants(): Promise<Tenant[]>
  tenantByName(name: string): Promise<Tenant | null>
  setPlan(change: PlanChange): Promise<Tenant>
  /** Every change makes a version, which is returned; it acts from then on. */
  setTenantSettings(change: SettingsChange): Promise<Policy>

  createKey(key: NewKey): Promise<ApiKey>
  /** The key in any state: the caller checks whether it is expired or revoked. */
  keyByHash(hash: Uint8Array): Promise<KeyHolder | null>
  /** Keys of one tenant, or every key, oldest first. */
  keys(of?: { tenantId?: number }): Promise<ApiKey[]>
  /**
   * Returns the successor. The old key ends at `overlapUntil`, or sooner if it would have anyway.
   */
  rotateKey(rotation: KeyRotation): Promise<ApiKey>
  /** Throws `key-revoked`, `key-expired` or `key-replaced` for one that has ended. */
  changeKey(change: KeyChange): Promise<ApiKey>
  /** Revoking a revoked key changes nothing: the first moment stands. */
  revokeKey(revocation: KeyRevocation): Promise<void>

  /** Tells the owner of a key; once a month, however often it is called. */
  tellQuotaReached(reached: QuotaReached): Promise<void>

  /** Grows with each change of a tenant or key, so a cache learns by one read that it is stale. */
  accountsVersion(): Promise<number>
}
