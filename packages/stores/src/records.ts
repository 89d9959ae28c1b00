import type { Accounts } from "./accounts.ts"
import type { AuditRecords } from "./records-audit.ts"
import type { DeliveryRecords } from "./records-deliveries.ts"
import type { DomainWatchRecords } from "./records-domain-watches.ts"
import type { EventRecords } from "./records-events.ts"
import type { SharedSignalRecords } from "./records-shared-signals.ts"
import type { SinkRecords } from "./records-sinks.ts"
import type { EvidenceRecords } from "./records-evidence.ts"
import type { FeedbackRecords } from "./records-feedback.ts"
import type { InvitationRecords } from "./records-invitations.ts"
import type { Lease, LeaseRecords, NodeRecords } from "./records-nodes.ts"
import type { OutsideRecords } from "./records-outside.ts"
import type { PeopleRecords } from "./records-people.ts"
import type { PolicyRecords } from "./records-policies.ts"
import type { ShadowRecords } from "./records-shadows.ts"
import type { ProviderCostRecords } from "./records-provider-costs.ts"
import type { SessionRecords } from "./records-sessions.ts"
import type { SignUpRecords } from "./records-signups.ts"
import type { ReviewRecords } from "./records-reviews.ts"
import type { SubjectRecords } from "./records-subjects.ts"
import type { ViewRecords } from "./records-views.ts"
import type { WatchRecords } from "./records-watch.ts"
import type { WebhookRecords } from "./records-webhooks.ts"

export type { AuditEntry, AuditNote } from "./records-audit.ts"
export { RecordsError, type RecordsFault } from "./records-error.ts"
export type {
  Accounts,
  ApiKey,
  KeyHolder,
  KeyRevocation,
  KeyRotation,
  NewKey,
  NewTenant,
  PlanChange,
  Tenant,
} from "./accounts.ts"
export type { Policy } from "./records-policies.ts"
export type { Shadow } from "./records-shadows.ts"

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
  /** Of one tenant, or of all. */
  dailyIdentities(day: string, tenantId?: number): Promise<DailyIdentity[]>
  /**
   * Deletes the days before `day` and returns how many identities that were. On SQLite the bytes
   * are gone from the files too; on PostgreSQL they go when the server reuses the space.
   */
  forgetDailyIdentities(day: string): Promise<number>
}

/**
 * Data that must be remembered exactly and for long. Each write is one transaction: after a failure
 * or a crash it is there entirely or not at all, and once its promise resolves it is on disk.
 * Failures are `RecordsError`.
 */
export interface Records
  extends
    Accounts,
    AuditRecords,
    PeopleRecords,
    InvitationRecords,
    SessionRecords,
    SignUpRecords,
    OutsideRecords,
    PolicyRecords,
    ShadowRecords,
    Metering,
    FeedbackRecords,
    EvidenceRecords,
    ProviderCostRecords,
    ReviewRecords,
    ViewRecords,
    EventRecords,
    WebhookRecords,
    DeliveryRecords,
    WatchRecords,
    DomainWatchRecords,
    SharedSignalRecords,
    SinkRecords,
    LeaseRecords,
    NodeRecords,
    SubjectRecords {
  /** Brings the tables to this program's format. Safe to repeat, and from two processes at once. */
  migrate(): Promise<void>
  /** Keeps the first value it is given and throws `wrong-secret` at any other. */
  checkKeyCheckValue(value: string): Promise<void>
  /**
   * Calls a method whose writes all fail with `lease-lost`, and change nothing, once another holds
   * the lease.
   */
  underLease(lease: Lease, method: keyof Records, args: readonly unknown[]): Promise<unknown>
  /** Reads a row, so that "up" means able to answer. */
  ping(): Promise<void>
  close(): Promise<void>
}
