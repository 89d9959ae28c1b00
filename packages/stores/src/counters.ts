/** What a tenant's plan allows, handed in with each call: counters keep numbers, not policy. */
export interface RateAndQuota {
  readonly perSecond: number
  readonly perMonth: number
}

/** How much of each a worker would like to hold. */
export interface Wanted {
  readonly requests: number
  readonly lookups: number
}

/**
 * The amounts granted from the rate and from the month, which are counted separately, and the rest
 * of both.
 */
export interface Lease {
  /** Requests the holder may let in on its own until the window ends. */
  readonly requests: number
  /** Lookups the holder may answer in `month`. */
  readonly lookups: number
  /** 0 where no window has begun; never more than a second. */
  readonly windowEndsInMs: number
  /** The UTC month the lookups are of, as YYYY-MM. */
  readonly month: string
  /** Left for others in this window and month, after this grant. */
  readonly rateLeft: number
  readonly quotaLeft: number
}

/**
 * Admitted, or the tags of all admitted identities: the day is full, so that no other will be
 * admitted.
 */
export type IdentityAdmission = true | readonly Uint8Array[]

/**
 * The names by which sign-ups are distinguished and counted. `signup` is the account, or the exact
 * address if no account is given; `cluster` is the shape of the address with its domain. A phone
 * number in use takes the place of a mailbox, under names that no mailbox has, and the account that
 * uses it takes the place of the sign-up.
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
  /**
   * Of e-mail addresses only sign-ups are recorded, of phone numbers every use by an account; the
   * rest is compared with them.
   */
  readonly isRecorded: boolean
  /**
   * The names in the order of `CONTEXT_NAMES`, zero where not given, under the keys of the event's
   * UTC day and then, once more, of the day before: 24 hours never touch a third day.
   */
  readonly names: Uint8Array
}

/**
 * Sign-ups of the 24 hours up to an event, a recorded one included; null where the event has no
 * such name.
 */
export interface Velocity {
  /** Different mailboxes. */
  readonly device: number | null
  readonly network: number | null
  readonly cluster: number | null
  /** Different accounts, or exact addresses, of this one mailbox. */
  readonly mailbox: number
  /** The first known sign-up of the account, or else of the mailbox; null if there is none. */
  readonly firstSignupSeconds: number | null
  /**
   * Sign-ups that were left out or pushed out to keep memory bounded; above 0 the counts may be too
   * low.
   */
  readonly dropped: number
}

/**
 * Counts that every worker shares. A worker takes requests and lookups in small leases and admits
 * from its own stock, so that the hot path needs no call. Requests that it still holds when the
 * window ends are void; lookups are given back.
 */
export interface Counters {
  /**
   * The time by which days, months and sign-ups are to be named, in milliseconds since 1970; null:
   * by the clock of this machine.
   */
  clock(): Promise<number | null>
  /**
   * Takes requests from the tenant's current second and lookups from its month, each as far as it
   * reaches: a used-up month does not touch the rate. A call for no requests begins no window.
   */
  lease(tenantId: number, limits: RateAndQuota, wanted: Wanted): Promise<Lease>
  /** Returns lookups that were leased in `month` and not used. */
  giveBack(tenantId: number, month: string, lookups: number): Promise<void>
  /**
   * Whether the tenant may look at this identity today: seen before today, or fewer than `most`
   * others so far.
   */
  admitIdentity(tenantId: number, tag: Uint8Array, most: number): Promise<IdentityAdmission>
  /**
   * Sets how many streams of the tenant this worker holds. Returns false and changes nothing if
   * that is more than before and all workers together would hold more than `most`.
   */
  holdStreams(tenantId: number, count: number, most: number): Promise<boolean>
  /**
   * Records a sign-up and counts, in one step. The same sign-up again counts once, so a request may
   * be repeated. A record is forgotten within 48 hours after it happened.
   */
  velocity(event: ContextEvent): Promise<Velocity>
}
