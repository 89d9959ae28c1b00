import { createHmac, randomBytes } from "node:crypto"
import { dayOf } from "@assay/runtime/time"

/** From one network in a UTC day. An office of many people has a handful of organisations. */
export const NETWORK_SIGN_UPS = 5
/** Of all networks together, so that somebody with many addresses cannot fill the tables. */
export const SERVICE_SIGN_UPS = 500
const NETWORKS_MAX = 100_000

/** Counts sign-ups by network and day, in memory, under a key that goes with the day. */
export interface SignUpsADay {
  /** False where the network, or the whole service, has had enough of the day. */
  admit(network: string | null): boolean
}

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
    admit(network) {
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
