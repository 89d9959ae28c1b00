import { HOUR_MS } from "@assay/runtime/time"
import { type Bucket, openBucket } from "./bucket.ts"
import { openNetworkNames } from "./network-names.ts"

/** One network may take this share of what is left. */
const SHARE = 1 / 4
/** This share is for networks that have taken nothing in this hour. */
const RESERVE = 1 / 4
/** At most this many networks are distinguished; further ones share one place. */
const NETWORKS_MAX = 10_000

/**
 * The messages accepted from everybody in an hour, divided so that nobody takes all of them, or all
 * at once.
 */
export interface SharedBudget {
  /** Counts one message from this address; false if its network may send none now. */
  take(address: string | undefined): boolean
  /** The used share, 0 to 1. */
  usedShare(): number
}

/** A network, and how much it has taken. */
interface Taker {
  readonly bucket: Bucket
  /** The share of what is left that it may have. */
  readonly share: number
  /** This taker gets nothing once less than this is left. */
  reserve: number
}

/**
 * The budget comes back continuously. A network may take a quarter of what is left, and gets back a
 * quarter of what comes back; the last quarter of the whole is for networks that have taken nothing
 * in this hour. All visitors from this machine are one network, since those of an onion service or
 * a proxy cannot be distinguished; because they are many, this network gets back everything that
 * comes back. A flood from there takes `hereShare` at once, and then only as fast as the budget
 * comes back: the next in line waits for minutes and not for an hour.
 */
export function openSharedBudget(
  perHour: number,
  now: () => number,
  { hereShare = SHARE }: { readonly hereShare?: number } = {},
): SharedBudget {
  const reserve = perHour * RESERVE
  const all = openBucket(perHour, HOUR_MS, now)
  const here: Taker = {
    bucket: openBucket(perHour, HOUR_MS, now),
    share: hereShare,
    reserve: hereShare === 1 ? 0 : reserve,
  }
  const names = openNetworkNames(now)
  let hour = names.hour()
  let networks = new Map<string, Taker>()
  const takerOf = (address: string | undefined): Taker => {
    const name = names.nameOf(address)
    if (names.hour() !== hour) networks = new Map()
    hour = names.hour()
    if (name === null) return here
    const known = networks.get(name)
    if (known !== undefined) return known
    if (networks.size >= NETWORKS_MAX) return here
    const bucket = openBucket(perHour * SHARE, HOUR_MS, now)
    const made: Taker = { bucket, share: SHARE, reserve: 0 }
    networks.set(name, made)
    return made
  }
  return {
    take(address) {
      const taker = takerOf(address)
      const left = perHour - all.used()
      const own = taker.bucket.used()
      // At least one: a quarter of a small rest, or of a small budget, would be none.
      const most = Math.max(1, (left + own) * taker.share)
      if (left < Math.max(1, taker.reserve) || own + 1 > most) return false
      all.add(1)
      taker.bucket.add(1)
      if (taker !== here) taker.reserve = reserve
      return true
    },
    usedShare: () => all.used() / perHour,
  }
}
