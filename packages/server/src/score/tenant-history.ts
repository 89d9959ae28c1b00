import { SERVICE_SOURCES } from "@assay/stores/arriving-batches"
import type { MailboxState } from "./mailbox-state.ts"
import type { Observation } from "./observations.ts"

/** What the tenant itself reported about an identity, in the scorer's terms. */
export interface TenantHistory {
  readonly rotatedAge: number | undefined
  readonly ownershipVerified: boolean | undefined
  /** Days since ownership was last verified, also where a bounce has ended it since. */
  readonly ownershipVerifiedAge: number | null
  /** Ownership that was verified long ago still counts for the score, no longer for coverage. */
  readonly ownershipIsRecent: boolean
  readonly goodHistoryDays: number | undefined
  readonly confirmedFraudAge: number | undefined
  /** When the tenant first knew the identity, in days ago; null if it never did. */
  readonly firstKnownDays: number | null
  /** Whether a decision or feedback is older than a day. */
  readonly hasHistory: boolean
}

export const NO_HISTORY: TenantHistory = {
  rotatedAge: undefined,
  ownershipVerified: undefined,
  ownershipVerifiedAge: null,
  ownershipIsRecent: false,
  goodHistoryDays: undefined,
  confirmedFraudAge: undefined,
  firstKnownDays: null,
  hasHistory: false,
}

const OWNERSHIP_RECENT_DAYS = 365
const HISTORY_DAYS = 1

/**
 * Reads the tenant's own entries. The index holds only those in force: what was undone or cancelled
 * is not there.
 */
export function tenantHistory(
  visible: readonly Observation[],
  today: number,
  mailbox: MailboxState,
): TenantHistory {
  const newest = { rotated: Infinity, ownership: Infinity, fraud: Infinity }
  let goodSince = -1
  let oldest = -1
  for (const { entry, source } of visible) {
    // Evidence the tenant has from elsewhere says nothing about how long the tenant knows the
    // identity.
    if (entry.owner === "shared" || !SERVICE_SOURCES.has(source.name)) continue
    const age = Math.max(0, today - Math.floor(entry.hours / 24))
    oldest = Math.max(oldest, age)
    if (entry.kind === "credential_rotated") newest.rotated = Math.min(newest.rotated, age)
    else if (entry.kind === "ownership_verified") newest.ownership = Math.min(newest.ownership, age)
    else if (entry.kind === "fraud_confirmed") newest.fraud = Math.min(newest.fraud, age)
    else if (entry.kind === "good_history") goodSince = Math.max(goodSince, age)
  }
  const owned = newest.ownership !== Infinity && !mailbox.bouncedAfter(newest.ownership)
  return {
    rotatedAge: known(newest.rotated),
    ownershipVerified: owned ? true : undefined,
    ownershipVerifiedAge: newest.ownership === Infinity ? null : newest.ownership,
    ownershipIsRecent: owned && newest.ownership <= OWNERSHIP_RECENT_DAYS,
    goodHistoryDays: goodSince < 0 ? undefined : goodSince,
    confirmedFraudAge: known(newest.fraud),
    firstKnownDays: oldest < 0 ? null : oldest,
    hasHistory: oldest > HISTORY_DAYS,
  }
}

function known(age: number): number | undefined {
  return age === Infinity ? undefined : age
}
