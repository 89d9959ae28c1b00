import { dayOf, monthOf } from "@assay/runtime/time"
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
  /** `holdStreams` of one worker; the others' streams are counted apart. */
  holdStreamsOf(worker: number): Counters["holdStreams"]
  /** A worker that is gone holds no streams any more. */
  forgetWorker(worker: number): void
  /** Restores the counts from before a restart. */
  restore(
    month: string,
    lookups: ReadonlyMap<number, number>,
    day: string,
    identities: Iterable<Omit<NewDailyIdentity, "day">>,
  ): void
  /**
   * Hands tags that are not durable yet to `write`; those it fails on are handed to it again next
   * time.
   */
  writeNewIdentities(write: (rows: readonly NewDailyIdentity[]) => Promise<void>): Promise<void>
  /** Called every hour, so that no recorded sign-up is held for more than 48. */
  forgetSignups(): void
}

interface CountersOptions {
  /** Milliseconds since 1970: names days and months. */
  readonly now: () => number
  /** Milliseconds that only ever grow: ends windows, even if somebody sets the machine's clock. */
  readonly elapsed: () => number
  readonly bounds?: VelocityBounds
}

/** The counters of one machine, in the memory of the primary process. */
export function embeddedCounters({ now, elapsed, bounds }: CountersOptions): EmbeddedCounters {
  const windows = new Map<number, { endsAt: number; used: number }>()
  const lookupsOf = keptByName<number>()
  const identitiesOf = keptByName<Map<string, Uint8Array>>()
  const streams = new Map<number, Map<number, number>>()
  let fresh: NewDailyIdentity[] = []
  const signups = embeddedVelocity(now, bounds)

  /** A window begins with its first request, so two bursts a second apart never share one. */
  const windowOf = (tenantId: number, begin: boolean): { endsAt: number; used: number } => {
    const current = windows.get(tenantId)
    if (current !== undefined && current.endsAt > elapsed()) return current
    if (!begin) return { endsAt: elapsed(), used: 0 }
    const next = { endsAt: elapsed() + WINDOW_MS, used: 0 }
    windows.set(tenantId, next)
    return next
  }
  const identitiesIn = (day: string, tenantId: number): Map<string, Uint8Array> => {
    const tenants = identitiesOf(day)
    const found = tenants.get(tenantId) ?? new Map<string, Uint8Array>()
    tenants.set(tenantId, found)
    return found
  }
  const holdStreamsOf =
    (worker: number): Counters["holdStreams"] =>
    async (tenantId, count, most) => {
      const held = streams.get(tenantId) ?? new Map<number, number>()
      const before = held.get(worker) ?? 0
      const all = [...held.values()].reduce((sum, each) => sum + each, count - before)
      if (count > before && all > most) return false
      if (count === 0) held.delete(worker)
      else held.set(worker, count)
      if (held.size === 0) streams.delete(tenantId)
      else streams.set(tenantId, held)
      return true
    }

  return {
    clock: async () => null,
    async lease(tenantId, { perSecond, perMonth }, wanted): Promise<Lease> {
      const month = monthOf(now())
      const lookups = lookupsOf(month)
      const window = windowOf(tenantId, wanted.requests > 0)
      const usedThisMonth = lookups.get(tenantId) ?? 0
      const rateLeft = Math.max(0, perSecond - window.used)
      const quotaLeft = Math.max(0, perMonth - usedThisMonth)
      const granted = {
        requests: Math.min(wanted.requests, rateLeft),
        lookups: Math.min(wanted.lookups, quotaLeft),
      }
      window.used += granted.requests
      lookups.set(tenantId, usedThisMonth + granted.lookups)
      return {
        ...granted,
        windowEndsInMs: window.endsAt - elapsed(),
        month,
        rateLeft: rateLeft - granted.requests,
        quotaLeft: quotaLeft - granted.lookups,
      }
    },
    async giveBack(tenantId, month, count) {
      const lookups = lookupsOf(month)
      lookups.set(tenantId, Math.max(0, (lookups.get(tenantId) ?? 0) - count))
    },
    async admitIdentity(tenantId, tag, most) {
      const day = dayOf(now())
      const seen = identitiesIn(day, tenantId)
      const text = Buffer.from(tag).toString("base64")
      if (seen.has(text)) return true
      if (seen.size >= most) return [...seen.values()]
      seen.set(text, tag)
      fresh.push({ day, tenantId, tag })
      return true
    },
    holdStreams: holdStreamsOf(0),
    holdStreamsOf,
    forgetWorker(worker) {
      for (const [tenantId, held] of streams) {
        held.delete(worker)
        if (held.size === 0) streams.delete(tenantId)
      }
    },
    restore(month, counts, day, seen) {
      const lookups = lookupsOf(month)
      for (const [tenantId, count] of counts) lookups.set(tenantId, count)
      for (const { tenantId, tag } of seen)
        identitiesIn(day, tenantId).set(Buffer.from(tag).toString("base64"), tag)
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

/** Days or months that are kept besides the current one. */
const KEPT = 2

/**
 * Counts of tenants by the name of their day or month. The last few are kept, so that a clock that
 * is set back and forth finds its earlier counts instead of starting from zero.
 */
function keptByName<T>(): (name: string) => Map<number, T> {
  const kept = new Map<string, Map<number, T>>()
  return (name) => {
    const found = kept.get(name)
    if (found !== undefined) return found
    const next = new Map<number, T>()
    kept.set(name, next)
    if (kept.size > KEPT + 1) kept.delete(kept.keys().next().value ?? name)
    return next
  }
}
