import type { Lease } from "@assay/stores/counters"
import { dayOf, monthOf } from "@assay/runtime/time"
import type { PlanLimits } from "./plans.ts"

/** What a worker holds of a tenant's rate and month, and what it remembers to be used up. */
export interface Hand {
  /**
   * Requests it may still let in within the window; below zero it owes requests for lines that were
   * refused.
   */
  requests: number
  /** On the monotonic clock. */
  windowEndsAt: number
  rateUsedUp: boolean
  /** Refused lines that do not make up a whole request yet. */
  refusedLines: number
  /** Lookups it may still answer in `month`. */
  lookups: number
  month: string
  /** When lookups were last taken or given back. */
  lookupsMovedAt: number
  /** What the shared counters had left when they were last asked. */
  rateLeft: number
  quotaLeft: number
  quotaLeftAt: number
  /** The limit that `quotaLeft` was counted against. */
  perMonth: number
  /** Tags of identities admitted in `day`. */
  day: string
  readonly known: Set<string>
  /**
   * The limit at which `known` holds the whole day, so that no other identity will be admitted;
   * null before that.
   */
  fullAt: number | null
  /** Streams that are open here, and how many of them the counters were last known to have. */
  streams: number
  streamsReported: number | null
  /** Since when the counters have not answered; null while nothing is asked. */
  askedAt: number | null
  leasingRequests: Promise<void> | null
  leasingLookups: Promise<void> | null
}

export function emptyHand(): Hand {
  return {
    requests: 0,
    windowEndsAt: -Infinity,
    rateUsedUp: false,
    refusedLines: 0,
    lookups: 0,
    month: "",
    lookupsMovedAt: -Infinity,
    rateLeft: 0,
    quotaLeft: 0,
    quotaLeftAt: -Infinity,
    perMonth: 0,
    day: "",
    known: new Set(),
    fullAt: null,
    streams: 0,
    streamsReported: 0,
    askedAt: null,
    leasingRequests: null,
    leasingLookups: null,
  }
}

/** Requests left over from a past second expire; requests owed stay owed. */
export function endWindow(hand: Hand, elapsedMs: number): void {
  if (hand.windowEndsAt > elapsedMs) return
  hand.requests = Math.min(hand.requests, 0)
  hand.rateUsedUp = false
}

/** Forgets the counts of another day or month, also when the clock was set back. */
export function turnPages(hand: Hand, nowMs: number, { lookupsPerMonth }: PlanLimits): void {
  const month = monthOf(nowMs)
  if (hand.month !== month) {
    hand.month = month
    hand.lookups = 0
    hand.quotaLeft = lookupsPerMonth
    hand.quotaLeftAt = -Infinity
  }
  const day = dayOf(nowMs)
  if (hand.day !== day) {
    hand.day = day
    hand.known.clear()
    hand.fullAt = null
  }
}

/** Takes a lease into the hand, however late it comes. */
export function holdLease(
  hand: Hand,
  lease: Lease,
  { lookupsPerMonth }: PlanLimits,
  elapsedMs: number,
): void {
  hand.rateLeft = lease.rateLeft
  if (lease.month !== hand.month) {
    hand.month = lease.month
    hand.lookups = 0
  }
  hand.lookups += lease.lookups
  if (lease.lookups > 0) hand.lookupsMovedAt = elapsedMs
  hand.quotaLeft = lease.quotaLeft
  hand.quotaLeftAt = elapsedMs
  hand.perMonth = lookupsPerMonth
}

/** Only a lease that was asked for requests says whether the rate is used up. */
export function holdRequests(hand: Hand, lease: Lease, elapsedMs: number): void {
  hand.requests += lease.requests
  hand.rateUsedUp = lease.requests === 0
  hand.windowEndsAt = elapsedMs + lease.windowEndsInMs
}
