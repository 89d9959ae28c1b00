import type { Counters, Wanted } from "@assay/stores/counters"
import type { Caller } from "./callers.ts"
import { emptyHand, endWindow, type Hand, holdLease, holdRequests, turnPages } from "./hand.ts"
import { inTime } from "./in-time.ts"
import {
  identitiesRefusal,
  limitFields,
  limitsUnavailable,
  quotaRefusal,
  rateRefusal,
  streamsRefusal,
} from "./limit-refusals.ts"
import type { PlanLimits } from "./plans.ts"

/**
 * Gives a lookup back that turned out not to count: input that was refused, or a failure of ours.
 */
export type Refund = () => void

/**
 * A plan's limits on one worker. Everything they let in was first taken from the shared counters;
 * if those cannot be asked, the caller gets a 503 Problem.
 */
export interface Limits {
  /** Takes a request from the rate, or throws. Usually at once, from those the worker holds. */
  pace(caller: Caller): Promise<void> | undefined
  /** Takes a request from those the worker holds; false where it holds none, and takes none. */
  paceAtOnce(caller: Caller): boolean
  /**
   * Takes a lookup from the month and of the day's identities, or throws. `identityTag` names
   * today's identity.
   */
  admit(caller: Caller, identityTag: (tenantId: number) => Uint8Array): Refund | Promise<Refund>
  /**
   * Takes refused lines of a batch or stream from the rate. Returns the milliseconds until it
   * covers them, 0 if it does.
   */
  chargeRefused(caller: Caller, lines: number): number | Promise<number>
  /**
   * Takes one of the streams the tenant may have at once, or throws. Returns a function that gives
   * it back.
   */
  openStream(caller: Caller): Promise<() => void>
  /** The header fields that show the caller what is left. */
  fields(caller: Caller): Readonly<Record<string, string>>
  /** Gives lookups unused for a while back to their month; when leaving, all of them. */
  settle(leaving?: "leaving"): Promise<void>
}

/** What routes that count need. */
export interface CountingServices {
  readonly limits: Limits
  /** The clock by which identities and sign-ups are counted. */
  readonly countingNow: () => number
}

interface LimitsOptions {
  readonly counters: Pick<Counters, "lease" | "giveBack" | "admitIdentity" | "holdStreams">
  /** Milliseconds since 1970, as the counters have it: names days and months. */
  readonly now: () => number
  /** A monotonic clock in milliseconds: ends windows. */
  readonly elapsed: () => number
  readonly onUnavailable: () => void
  /** Told whenever a caller is refused because its month is used up. */
  readonly onQuotaReached: (caller: Caller, month: string, limits: PlanLimits) => void
  /**
   * Into how many leases a second's requests are divided. Whoever holds one keeps it from all
   * others for that second, so there must be more of them where more workers ask.
   */
  readonly leasesASecond?: number
  /** How long a caller waits for counters that do not answer. */
  readonly waitMs?: number
}

/**
 * Refused lines of a batch or stream that count as one request: reading a line costs a tenth of
 * one.
 */
export const LINES_A_REQUEST = 10
/** Lookups leased at once: a free month in fifty questions, and little to give back. */
const LEASED_LOOKUPS = 20
/**
 * A month that is used up is asked for again after this: another worker may have given lookups
 * back.
 */
const USED_UP_MS = 1000
/** Lookups that lie unused this long go back. */
const IDLE_MS = 1000
const WAIT_MS = 1000

const NOTHING: Refund = () => undefined
const NO_FIELDS = {}

/** Admits from leases taken of the shared counters. */
export function openLimits(options: LimitsOptions): Limits {
  const { counters, now, elapsed, onUnavailable, onQuotaReached } = options
  const { leasesASecond = 2, waitMs = WAIT_MS } = options
  const hands = new Map<number, Hand>()

  const handOf = (tenantId: number, limits: PlanLimits): Hand => {
    const hand = hands.get(tenantId) ?? emptyHand()
    hands.set(tenantId, hand)
    turnPages(hand, now(), limits)
    endWindow(hand, elapsed())
    return hand
  }

  /** Waits no longer than a caller can. While a question is overdue, others are not sent. */
  async function ask<T>(hand: Hand, question: () => Promise<T>): Promise<T> {
    try {
      const silentMs = hand.askedAt === null ? 0 : elapsed() - hand.askedAt
      if (silentMs >= waitMs) throw new Error("The counters do not answer")
      hand.askedAt ??= elapsed()
      const answer = question().finally(() => (hand.askedAt = null))
      return await inTime(answer, waitMs - silentMs)
    } catch (error) {
      onUnavailable()
      throw limitsUnavailable(error)
    }
  }

  async function lease(
    tenantId: number,
    hand: Hand,
    limits: PlanLimits,
    wanted: Wanted,
  ): Promise<void> {
    const { requestsPerSecond: perSecond, lookupsPerMonth: perMonth } = limits
    // A lease goes into the hand even if nobody waits for it any more.
    await ask(hand, async () => {
      const granted = await counters.lease(tenantId, { perSecond, perMonth }, wanted)
      holdLease(hand, granted, limits, elapsed())
      if (wanted.requests > 0) holdRequests(hand, granted, elapsed())
    })
  }

  /** Takes requests from the hand, leasing more as needed. False if this second has not enough. */
  async function takeRequests(
    tenantId: number,
    hand: Hand,
    limits: PlanLimits,
    count: number,
  ): Promise<boolean> {
    for (;;) {
      endWindow(hand, elapsed())
      if (hand.requests >= count) {
        hand.requests -= count
        return true
      }
      if (hand.rateUsedUp) return false
      const requests =
        Math.ceil(limits.requestsPerSecond / leasesASecond) - Math.min(0, hand.requests)
      // Requests that find the hand empty at the same time wait for one lease together.
      hand.leasingRequests ??= lease(tenantId, hand, limits, { requests, lookups: 0 }).finally(
        () => (hand.leasingRequests = null),
      )
      await hand.leasingRequests
    }
  }

  async function paceByLease(tenantId: number, hand: Hand, limits: PlanLimits): Promise<void> {
    if (!(await takeRequests(tenantId, hand, limits, 1))) throw rateRefusal(hand, limits, now())
  }

  /** null: the month is used up. */
  async function takeLookup(
    tenantId: number,
    hand: Hand,
    limits: PlanLimits,
  ): Promise<Refund | null> {
    turnPages(hand, now(), limits)
    for (;;) {
      // Of the month that the counters named, though for a moment it may not be the one named here.
      if (hand.lookups > 0) return takenFrom(hand)
      const isUsedUp =
        hand.quotaLeft === 0 &&
        hand.perMonth === limits.lookupsPerMonth &&
        elapsed() - hand.quotaLeftAt < USED_UP_MS
      if (isUsedUp) return null
      const wanted = { requests: 0, lookups: LEASED_LOOKUPS }
      hand.leasingLookups ??= lease(tenantId, hand, limits, wanted).finally(
        () => (hand.leasingLookups = null),
      )
      await hand.leasingLookups
    }
  }

  function takenFrom(hand: Hand): Refund {
    const { month } = hand
    hand.lookups--
    hand.lookupsMovedAt = elapsed()
    return () => {
      // Nothing is given back to a month that is over.
      if (hand.month === month) hand.lookups++
    }
  }

  /**
   * Once the day is full, the worker gets the whole set of admitted identities and stops asking.
   */
  async function admitIdentity(
    tenantId: number,
    hand: Hand,
    limits: PlanLimits,
    tag: Uint8Array,
  ): Promise<void> {
    const most = limits.identitiesPerDay
    const { day } = hand
    if (hand.known.has(nameOf(tag))) return
    if (hand.fullAt === most) throw identitiesRefusal(hand, limits, now())
    const admitted = await ask(hand, () => counters.admitIdentity(tenantId, tag, most))
    const isToday = hand.day === day
    if (isToday)
      for (const each of admitted === true ? [tag] : admitted) hand.known.add(nameOf(each))
    if (admitted === true) return
    if (isToday) hand.fullAt = most
    throw identitiesRefusal(hand, limits, now())
  }

  async function admitByAsking(
    caller: Caller,
    tenantId: number,
    hand: Hand,
    limits: PlanLimits,
    tag: Uint8Array,
  ): Promise<Refund> {
    const refund = await takeLookup(tenantId, hand, limits)
    if (refund === null) {
      onQuotaReached(caller, hand.month, limits)
      throw quotaRefusal(hand, limits, now())
    }
    try {
      await admitIdentity(tenantId, hand, limits, tag)
    } catch (error) {
      refund()
      throw error
    }
    return refund
  }

  async function payOff(tenantId: number, hand: Hand, limits: PlanLimits): Promise<number> {
    try {
      if (await takeRequests(tenantId, hand, limits, 0)) return 0
    } catch {
      // The counters do not answer; that is counted elsewhere. The requests owed stay owed.
      return waitMs
    }
    return Math.max(1, hand.windowEndsAt - elapsed())
  }

  const reportStreams = async (tenantId: number, hand: Hand, most: number): Promise<boolean> => {
    const { streams } = hand
    hand.streamsReported = null
    const held = await counters.holdStreams(tenantId, streams, most)
    if (held) hand.streamsReported = streams
    return held
  }

  const paceAtOnce: Limits["paceAtOnce"] = ({ tenantId, plan: { limits } }) => {
    if (tenantId === null || limits === null) return true
    const hand = handOf(tenantId, limits)
    if (hand.requests <= 0) return false
    hand.requests--
    return true
  }

  return {
    pace(caller) {
      const { tenantId, plan } = caller
      if (paceAtOnce(caller) || tenantId === null || plan.limits === null) return undefined
      return paceByLease(tenantId, handOf(tenantId, plan.limits), plan.limits)
    },
    paceAtOnce,
    admit(caller, identityTag) {
      const { tenantId } = caller
      const { limits } = caller.plan
      if (tenantId === null || limits === null) return NOTHING
      const hand = handOf(tenantId, limits)
      const tag = identityTag(tenantId)
      const isKnown = hand.known.has(nameOf(tag))
      if (!isKnown && hand.fullAt === limits.identitiesPerDay)
        throw identitiesRefusal(hand, limits, now())
      if (isKnown && hand.lookups > 0) return takenFrom(hand)
      return admitByAsking(caller, tenantId, hand, limits, tag)
    },
    chargeRefused({ tenantId, plan: { limits } }, lines) {
      if (tenantId === null || limits === null) return 0
      const hand = handOf(tenantId, limits)
      const owed = hand.refusedLines + lines
      hand.refusedLines = owed % LINES_A_REQUEST
      hand.requests -= Math.floor(owed / LINES_A_REQUEST)
      return hand.requests >= 0 ? 0 : payOff(tenantId, hand, limits)
    },
    async openStream({ tenantId, plan: { limits } }) {
      if (tenantId === null || limits === null) return NOTHING
      const { streamsAtOnce } = limits
      const hand = handOf(tenantId, limits)
      const leave = (): void => {
        hand.streams--
        // If this report fails, the next settling sends it again.
        reportStreams(tenantId, hand, streamsAtOnce).catch(() => undefined)
      }
      hand.streams++
      try {
        if (await ask(hand, () => reportStreams(tenantId, hand, streamsAtOnce))) return leave
      } catch (error) {
        leave()
        throw error
      }
      hand.streams--
      throw streamsRefusal(limits)
    },
    fields({ tenantId, plan: { limits } }) {
      if (tenantId === null || limits === null) return NO_FIELDS
      return limitFields(handOf(tenantId, limits), limits, now())
    },
    async settle(leaving) {
      for (const [tenantId, hand] of hands) {
        // Fewer than before is never refused, so the limit does not matter.
        if (hand.streamsReported !== hand.streams) await reportStreams(tenantId, hand, 0)
        if (leaving === undefined && elapsed() - hand.lookupsMovedAt < IDLE_MS) continue
        const { lookups, month } = hand
        if (lookups === 0) continue
        // Out of the hand first, so that two settlings at once do not both give them; back into it
        // if that fails.
        hand.lookups = 0
        try {
          await counters.giveBack(tenantId, month, lookups)
          hand.quotaLeft += lookups
        } catch (error) {
          if (hand.month === month) hand.lookups += lookups
          throw error
        }
      }
    },
  }
}

const nameOf = (tag: Uint8Array): string => Buffer.from(tag).toString("base64")
