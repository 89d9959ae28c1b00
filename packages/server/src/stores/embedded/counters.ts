import { dayOf, monthOf } from "../../time.ts"
import type { Counters, Lease } from "../counters.ts"
import { embeddedVelocity, type VelocityBounds } from "./velocity.ts"

const WINDOW_MS = 1000

/** A day's identity tag that is not yet in `Records`. */
export interface NewDailyIdentity {
  readonly day: string
  readonly tenantId: number
  readonly tag: Uint8Array
}

export interface EmbeddedCounters extends Counters {
  /** Puts back what was counted before a restart. */
  restore(
    month: string,
    lookups: ReadonlyMap<number, number>,
    day: string,
    identities: Iterable<Omit<NewDailyIdentity, "day">>,
  ): void
  /** Hands tags that are not durable yet to `write`; those it fails on are handed to it again next time. */
  writeNewIdentities(write: (rows: readonly NewDailyIdentity[]) => Promise<void>): Promise<void>
  /** Called every hour, so that no recorded sign-up is held for more than 48. */
  forgetSignups(): void
}

/** The counters of one machine, in the memory of the primary process. `now` is in milliseconds since 1970. */
export function embeddedCounters(now: () => number, bounds?: VelocityBounds): EmbeddedCounters {
  const windows = new Map<number, { endsAt: number; used: number }>()
  let month = monthOf(now())
  let lookups = new Map<number, number>()
  let day = dayOf(now())
  let identities = new Map<number, Set<string>>()
  let fresh: NewDailyIdentity[] = []
  const signups = embeddedVelocity(now, bounds)

  /** A window begins with its first request, so two bursts a second apart never share one. */
  const windowOf = (tenantId: number): { endsAt: number; used: number } => {
    const current = windows.get(tenantId)
    if (current !== undefined && current.endsAt > now()) return current
    const next = { endsAt: now() + WINDOW_MS, used: 0 }
    windows.set(tenantId, next)
    return next
  }
  const turnMonth = (): void => {
    if (month === monthOf(now())) return
    month = monthOf(now())
    lookups = new Map()
  }
  const identitiesToday = (tenantId: number): Set<string> => {
    if (day !== dayOf(now())) {
      day = dayOf(now())
      identities = new Map()
    }
    const found = identities.get(tenantId) ?? new Set()
    identities.set(tenantId, found)
    return found
  }

  return {
    async lease(tenantId, { perSecond, perMonth }, wanted): Promise<Lease> {
      turnMonth()
      const window = windowOf(tenantId)
      const usedThisMonth = lookups.get(tenantId) ?? 0
      const rateLeft = Math.max(0, perSecond - window.used)
      const quotaLeft = Math.max(0, perMonth - usedThisMonth)
      const granted = Math.min(wanted, rateLeft, quotaLeft)
      window.used += granted
      lookups.set(tenantId, usedThisMonth + granted)
      return {
        granted,
        refused: granted > 0 ? null : quotaLeft === 0 ? "quota" : "rate",
        windowEndsInMs: window.endsAt - now(),
        rateLeft: rateLeft - granted,
        quotaLeft: quotaLeft - granted,
      }
    },
    async leaseLookups(tenantId, perMonth, wanted) {
      turnMonth()
      const usedThisMonth = lookups.get(tenantId) ?? 0
      const quotaLeft = Math.max(0, perMonth - usedThisMonth)
      const granted = Math.min(wanted, quotaLeft)
      lookups.set(tenantId, usedThisMonth + granted)
      return { granted, quotaLeft: quotaLeft - granted }
    },
    async giveBack(tenantId, count) {
      turnMonth()
      lookups.set(tenantId, Math.max(0, (lookups.get(tenantId) ?? 0) - count))
    },
    async admitIdentity(tenantId, tag, most) {
      const seen = identitiesToday(tenantId)
      const text = Buffer.from(tag).toString("base64")
      if (seen.has(text)) return true
      if (seen.size >= most) return false
      seen.add(text)
      fresh.push({ day, tenantId, tag })
      return true
    },
    restore(ofMonth, counts, ofDay, seen) {
      if (ofMonth === monthOf(now())) lookups = new Map(counts)
      if (ofDay !== dayOf(now())) return
      for (const { tenantId, tag } of seen)
        identitiesToday(tenantId).add(Buffer.from(tag).toString("base64"))
    },
    async writeNewIdentities(write) {
      if (fresh.length === 0) return
      const taken = fresh
      fresh = []
      try {
        await write(taken)
      } catch (error) {
        fresh = [...taken, ...fresh]
        throw error
      }
    },
    velocity: async (event) => signups.velocity(event),
    forgetSignups: signups.forget,
  }
}
