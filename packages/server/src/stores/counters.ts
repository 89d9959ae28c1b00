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
 * What sign-ups are told apart and counted by. `signup` is the account, or the exact address where no account is
 * given; `cluster` is the shape of the address with its domain. A phone number in use stands as a mailbox, under names that no
 * mailbox has, and the account that uses it as the sign-up.
 */
export const CONTEXT_NAMES = [
  "mailbox",
  "signup",
  "device",
  "network",
  "cluster",
  "account",
] as const
export type ContextName = (typeof CONTEXT_NAMES)[number]

export const NAME_BYTES = 8
/** The bytes of all names under the keys of one day. */
export const NAMES_BYTES = CONTEXT_NAMES.length * NAME_BYTES

/** Something a person did, as the counters may know it. */
export interface ContextEvent {
  readonly tenantId: number
  /** When it happened, in whole seconds since 1970. */
  readonly atSeconds: number
  /** Of e-mail addresses only sign-ups are recorded, of phone numbers every use by an account; the rest is compared with them. */
  readonly isRecorded: boolean
  /**
   * The names in the order of `CONTEXT_NAMES`, zero where not given, under the keys of the event's UTC day and then,
   * once more, of the day before: 24 hours never touch a third day.
   */
  readonly names: Uint8Array
}

/** Sign-ups of the 24 hours up to an event, a recorded one included; null where the event has no such name. */
export interface Velocity {
  /** Different mailboxes. */
  readonly device: number | null
  readonly network: number | null
  readonly cluster: number | null
  /** Different accounts, or exact addresses, of this one mailbox. */
  readonly mailbox: number
  /** The first sign-up of the account, or else of the mailbox, that is still known; null where none is. */
  readonly firstSignupSeconds: number | null
  /** Sign-ups that were left out or pushed out to keep memory bounded; above 0 the counts may be too low. */
  readonly dropped: number
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
  /**
   * Records a sign-up and counts, in one step. The same sign-up again counts once, so a request may be repeated. What
   * is recorded is forgotten within 48 hours after it happened.
   */
  velocity(event: ContextEvent): Promise<Velocity>
}
