import type { Change } from "./records-audit.ts"
import type { EvidenceRecords } from "./records-evidence.ts"
import type { FeedbackRecords } from "./records-feedback.ts"
import type { Policy, PolicyRecords, SettingsChange } from "./records-policies.ts"
import type { ProviderCostRecords } from "./records-provider-costs.ts"
import type { SubjectRecords } from "./records-subjects.ts"

export { RecordsError, type RecordsFault } from "./records-error.ts"
export type { Policy } from "./records-policies.ts"

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

export interface KeyRevocation extends Change {
  id: string
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
  /** Revoking a revoked key changes nothing: the first moment stands. */
  revokeKey(revocation: KeyRevocation): Promise<void>

  /** Grows with each change of a tenant or key, so a cache learns by one read that it is stale. */
  accountsVersion(): Promise<number>
}

/** `day` is a UTC day, YYYY-MM-DD. */
export interface UsageRow {
  keyId: string
  day: string
  operation: string
  count: number
}

/** Both days are included. */
export interface UsageQuery {
  keyId?: string
  tenantId?: number
  from: string
  to: string
}

/** One identity a tenant asked about on a day, as an 8-byte tag that means nothing elsewhere. */
export interface DailyIdentity {
  day: string
  tenantId: number
  tag: Uint8Array
}

export interface Metering {
  /** Adds the counts to the stored ones. All rows or none. */
  addUsage(rows: readonly UsageRow[]): Promise<void>
  /** By day, key and operation, in that order. */
  usage(query: UsageQuery): Promise<UsageRow[]>
  /**
   * Operations of each tenant in a UTC month, YYYY-MM; service keys and idle tenants are absent.
   */
  usageOfMonth(month: string): Promise<Map<number, number>>

  /** Adding an identity again changes nothing. All rows or none. */
  addDailyIdentities(rows: readonly DailyIdentity[]): Promise<void>
  dailyIdentities(day: string): Promise<DailyIdentity[]>
  /**
   * Deletes the days before `day` and returns how many identities that were. On SQLite the bytes
   * are gone from the files too; on PostgreSQL they go when the server reuses the space.
   */
  forgetDailyIdentities(day: string): Promise<number>
}

/** Something done that is not in these records itself. `detail` never holds an identity. */
export interface AuditNote extends Change {
  action: string
  subject: string
  detail: Record<string, unknown>
}

export interface AuditEntry extends AuditNote {
  id: number
}

/**
 * Data that must be remembered exactly and for long. Each write is one transaction: after a failure
 * or a crash it is there entirely or not at all, and once its promise resolves it is on disk.
 * Failures are `RecordsError`.
 */
export interface Records
  extends
    Accounts,
    PolicyRecords,
    Metering,
    FeedbackRecords,
    EvidenceRecords,
    ProviderCostRecords,
    SubjectRecords {
  /** Brings the tables to this program's format. Safe to repeat, and from two processes at once. */
  migrate(): Promise<void>
  /** Keeps the first value it is given and throws `wrong-secret` at any other. */
  checkKeyCheckValue(value: string): Promise<void>
  addAudit(note: AuditNote): Promise<void>
  /** The newest entries first; with `before`, only those with smaller ids. */
  audit(query: { limit: number; before?: number }): Promise<AuditEntry[]>
  /** Entries with greater ids, the oldest first. */
  auditAfter(query: { limit: number; after: number }): Promise<AuditEntry[]>
  /** Reads a row, so that "up" means able to answer. */
  ping(): Promise<void>
  close(): Promise<void>
}
