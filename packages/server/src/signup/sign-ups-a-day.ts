import { createHmac, randomBytes } from "node:crypto"
import { dayOf, DAY_MS, HOUR_MS } from "@assay/runtime/time"
import type { LeaseRecords } from "@assay/stores/records-nodes"
import { openKeyedHash } from "../accounts/sealed.ts"

/** From one network in a UTC day. An office of many people has a handful of organisations. */
export const NETWORK_SIGN_UPS = 5
/** Of all networks together, so that somebody with many addresses cannot fill the tables. */
export const SERVICE_SIGN_UPS = 500
const NETWORKS_MAX = 100_000

/** Counts sign-ups by network and day. */
export interface SignUpsADay {
  /** False where the network, or the whole service, has had enough of the day. */
  admit(network: string | null): Promise<boolean>
}

/** Of a node that is alone: in memory, under a key that goes with the day. */
export function openSignUpsADay(now: () => number): SignUpsADay {
  let day = ""
  let key = randomBytes(32)
  let all = 0
  let counts = new Map<string, number>()
  const turnDay = (): void => {
    if (dayOf(now()) === day) return
    day = dayOf(now())
    key = randomBytes(32)
    all = 0
    counts = new Map()
  }
  return {
    async admit(network) {
      turnDay()
      if (all >= SERVICE_SIGN_UPS) return false
      if (network !== null) {
        const name = createHmac("sha256", key).update(network).digest("base64")
        const count = counts.get(name) ?? 0
        if (count >= NETWORK_SIGN_UPS || (count === 0 && counts.size >= NETWORKS_MAX)) return false
        counts.set(name, count + 1)
      }
      all += 1
      return true
    },
  }
}

interface SharedOptions {
  readonly records: Pick<LeaseRecords, "takeAttempts">
  /** Of the master secret: all nodes name a network alike, and nobody without it can. */
  readonly subkey: Uint8Array
  readonly now: () => number
}

/** Of several nodes together: in the records, which forget a day soon after it. */
export function sharedSignUpsADay({ records, subkey, now }: SharedOptions): SignUpsADay {
  const hash = openKeyedHash(subkey, "sign-up network")
  return {
    async admit(network) {
      const day = dayOf(now())
      const all = { name: `sign-ups ${day}`, most: SERVICE_SIGN_UPS }
      const names = [all]
      if (network !== null) {
        const name = Buffer.from(hash(`${day} ${network}`)).toString("base64")
        names.push({ name: `${all.name} ${name}`, most: NETWORK_SIGN_UPS })
      }
      // An hour more than the day has: a clock that is ahead must not make it end sooner.
      const forMs = DAY_MS - (now() % DAY_MS) + HOUR_MS
      return (await records.takeAttempts({ names, forMs })) === null
    },
  }
}
