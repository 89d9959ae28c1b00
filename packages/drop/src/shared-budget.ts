import { HOUR_MS } from "@assay/runtime/time"
import { type Bucket, openBucket } from "./bucket.ts"
import { openNetworkNames } from "./network-names.ts"

/** Of what is left, one network may take so much. */
const SHARE = 1 / 4
/** So much is for networks that have taken nothing in this hour. */
const RESERVE = 1 / 4
/** So many networks are told apart; those past them share one place. */
const NETWORKS_MAX = 10_000

/**
 * What is taken of everybody in an hour, shared out so that nobody takes all of it, or all of it at
 * once.
 */
export interface SharedBudget {
  /** Counts one from this address, or says that there is none for its network now. */
  take(address: string | undefined): boolean
  /** How much of it is used, 0 to 1. */
  usedShare(): number
}

/** A network, and what it has taken. */
interface Taker {
  readonly bucket: Bucket
  /** Of what is left, it may have so much. */
  readonly share: number
  /** Past it nothing is left for this one. */
  reserve: number
}

/**
 * It comes back all the time. A network may take a quarter of what is left, and gets back a quarter
 * of what comes back; the last quarter of all is for those that have taken nothing in this hour.
 * Everybody of this machine is one network, since the visitors of an onion service and of a proxy
 * cannot be told apart; because they are many, that one gets back all that comes back. Whoever
 * floods from there takes `hereShare` at once, and then only as fast as it comes back: the next in
 * line waits for minutes and not for an hour.
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
      // One at least: where little is left, or little was ever given, a quarter of it is none.
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
