/** What a tenant's plan allows, handed in with each call: counters keep numbers, not policy. */
export interface RateAndQuota {
  readonly perSecond: number
  readonly perMonth: number
}

export interface Lease {
  /** Requests the holder may admit on its own, until the window ends; 0 when refused. */
  readonly granted: number
  readonly refused: "rate" | "quota" | null
  readonly windowEndsInMs: number
  /** Left for others in this window and month, after this grant. */
  readonly rateLeft: number
  readonly quotaLeft: number
}

export interface LookupsLease {
  /** 0 when the month is used up. */
  readonly granted: number
  readonly quotaLeft: number
}

/**
 * Counts that every worker shares. A worker takes requests from a tenant's window in small leases and admits from its
 * own hand, so that the hot path asks nobody; what it holds when the window ends is void.
 */
export interface Counters {
  /** Takes up to `wanted` requests from the tenant's current second and month; both go down by what is granted. */
  lease(tenantId: number, limits: RateAndQuota, wanted: number): Promise<Lease>
  /** Takes up to `wanted` lookups from the tenant's month and none from its second: further ones of a request let in. */
  leaseLookups(tenantId: number, perMonth: number, wanted: number): Promise<LookupsLease>
  /** Returns requests of the month that were leased but not used; the second they were taken from is over. */
  giveBack(tenantId: number, count: number): Promise<void>
  /** Whether the tenant may look at this identity today: seen before today, or fewer than `most` others so far. */
  admitIdentity(tenantId: number, tag: Uint8Array, most: number): Promise<boolean>
}
