import type { Log } from "../log.ts"
import { Problem } from "../problem.ts"
import type { Counters } from "../stores/counters.ts"
import type { Caller } from "./callers.ts"
import { identitiesRefusal, type Left, limitFields, lookupsRefusal } from "./limit-refusals.ts"
import { type ManyAdmission, manyAdmission, OPEN_MANY } from "./many-lookups.ts"
import type { PlanLimits } from "./plans.ts"

/** A request that was let in, with the header fields that tell the caller what is left. */
export interface Admission {
  readonly headers: Readonly<Record<string, string>>
  /** Called when the request turned out not to count: refused input or a failure of ours. */
  refund(): void
}

export interface Limits {
  /** Lets a lookup in, or throws a 429 Problem. `identityTag` names today's identity for this tenant. */
  admit(caller: Caller, identityTag: (tenantId: number) => Uint8Array): Promise<Admission>
  /** Lets in a request that looks nobody up: it takes of the rate and of nothing else. Returns the header fields. */
  pace(caller: Caller): Promise<Readonly<Record<string, string>>>
  /** Lets a request of many lookups in, or throws a 429 Problem. The lookups are then let in one by one. */
  admitMany(caller: Caller): Promise<ManyAdmission>
  /** Gives leased requests that were not used back to their month: of seconds that are over, or, leaving, all. */
  settle(leaving?: "leaving"): Promise<void>
}

interface Hand extends Left {
  leasing: Promise<void> | null
  refused: "rate" | "quota" | null
  /** Leased in an earlier window and not used. */
  unused: number
}

interface LimitsOptions {
  readonly counters: Counters
  readonly now: () => number
  readonly log: Log
  /** Counters that cannot be asked let requests through: a limit is not worth an outage. */
  readonly onFailOpen: () => void
}

const OPEN: Admission = { headers: {}, refund: () => undefined }

/** The plan's limits on one worker, admitting from leases taken of the shared counters. */
export function openLimits({ counters, now, log, onFailOpen }: LimitsOptions): Limits {
  const hands = new Map<number, Hand>()

  const handOf = (tenantId: number): Hand => {
    const found = hands.get(tenantId)
    if (found !== undefined) return found
    const hand: Hand = {
      tokens: 0,
      windowEndsAt: 0,
      rateLeft: 0,
      quotaLeft: 0,
      leasing: null,
      refused: null,
      unused: 0,
    }
    hands.set(tenantId, hand)
    return hand
  }

  async function lease(
    tenantId: number,
    hand: Hand,
    { requestsPerSecond, lookupsPerMonth }: PlanLimits,
  ): Promise<void> {
    const rateAndQuota = { perSecond: requestsPerSecond, perMonth: lookupsPerMonth }
    const { granted, refused, windowEndsInMs, rateLeft, quotaLeft } = await counters.lease(
      tenantId,
      rateAndQuota,
      Math.ceil(requestsPerSecond / 2),
    )
    hand.tokens += granted
    hand.refused = refused
    hand.windowEndsAt = now() + windowEndsInMs
    hand.rateLeft = rateLeft
    hand.quotaLeft = quotaLeft
  }

  /** Takes one request from the hand, leasing more where it is empty. False: refused. */
  async function take(tenantId: number, hand: Hand, limits: PlanLimits): Promise<boolean> {
    for (;;) {
      if (hand.windowEndsAt <= now()) {
        hand.unused += hand.tokens
        hand.tokens = 0
        hand.refused = null
      }
      if (hand.tokens > 0) {
        hand.tokens--
        return true
      }
      if (hand.refused !== null) return false
      // Requests that find the hand empty at the same time wait for one lease together.
      hand.leasing ??= lease(tenantId, hand, limits).finally(() => (hand.leasing = null))
      await hand.leasing
    }
  }

  /** Lookups of the month alone: first those waiting to be given back, last those held for requests to come. */
  async function leaseLookups(
    tenantId: number,
    hand: Hand,
    { lookupsPerMonth }: PlanLimits,
    wanted: number,
  ): Promise<number> {
    const waiting = Math.min(wanted, hand.unused)
    hand.unused -= waiting
    if (waiting > 0) return waiting
    const { granted, quotaLeft } = await counters.leaseLookups(tenantId, lookupsPerMonth, wanted)
    hand.quotaLeft = quotaLeft
    if (granted > 0) return granted
    const held = hand.tokens
    hand.tokens = 0
    return held
  }

  const refusal = (hand: Hand, limits: PlanLimits): Problem =>
    lookupsRefusal(hand.refused ?? "rate", hand, limits, now())

  const failOpen = (error: unknown): void => {
    log.warn("limits could not be asked and let a request through", { error })
    onFailOpen()
  }

  return {
    async admit(caller, identityTag) {
      const { tenantId, plan } = caller
      if (tenantId === null || plan.limits === null) return OPEN
      const hand = handOf(tenantId)
      try {
        if (!(await take(tenantId, hand, plan.limits))) throw refusal(hand, plan.limits)
        if (
          !(await counters.admitIdentity(
            tenantId,
            identityTag(tenantId),
            plan.limits.identitiesPerDay,
          ))
        ) {
          hand.tokens++
          throw identitiesRefusal(hand, plan.limits, now())
        }
      } catch (error) {
        if (error instanceof Problem) throw error
        failOpen(error)
        return OPEN
      }
      const windowEndsAt = hand.windowEndsAt
      return {
        headers: limitFields(hand, plan.limits, now()),
        refund() {
          if (hand.windowEndsAt === windowEndsAt) hand.tokens++
          else hand.unused++
        },
      }
    },
    async pace({ tenantId, plan }) {
      if (tenantId === null || plan.limits === null) return OPEN.headers
      const hand = handOf(tenantId)
      try {
        // A month that is used up ends lookups; what a tenant has to say may still be said.
        if (await take(tenantId, hand, plan.limits)) hand.unused++
        else if (hand.refused === "rate") throw refusal(hand, plan.limits)
      } catch (error) {
        if (error instanceof Problem) throw error
        failOpen(error)
        return OPEN.headers
      }
      return limitFields(hand, plan.limits, now())
    },
    async admitMany(caller) {
      const { tenantId, plan } = caller
      if (tenantId === null || plan.limits === null) return OPEN_MANY
      const hand = handOf(tenantId)
      try {
        if (!(await take(tenantId, hand, plan.limits))) throw refusal(hand, plan.limits)
      } catch (error) {
        if (error instanceof Problem) throw error
        failOpen(error)
        return OPEN_MANY
      }
      const { limits } = plan
      const windowEndsAt = hand.windowEndsAt
      return manyAdmission({
        headers: limitFields(hand, limits, now()),
        leaseLookups: (wanted) => leaseLookups(tenantId, hand, limits, wanted),
        admitIdentity: (identityTag) =>
          counters.admitIdentity(tenantId, identityTag(tenantId), limits.identitiesPerDay),
        quotaRefusal: () => lookupsRefusal("quota", hand, limits, now()),
        identitiesRefusal: () => identitiesRefusal(hand, limits, now()),
        failOpen,
        giveBack: (lookups) => void (hand.unused += lookups),
        giveBackRequest() {
          if (hand.windowEndsAt === windowEndsAt) hand.tokens++
          else hand.unused++
        },
      })
    },
    async settle(leaving) {
      for (const [tenantId, hand] of hands) {
        if (leaving !== undefined || hand.windowEndsAt <= now()) {
          hand.unused += hand.tokens
          hand.tokens = 0
        }
        const { unused } = hand
        if (unused === 0) continue
        // Out of the hand first, so that two settlings at once do not both give it; back into it if that fails.
        hand.unused = 0
        try {
          await counters.giveBack(tenantId, unused)
        } catch (error) {
          hand.unused += unused
          throw error
        }
      }
    },
  }
}
