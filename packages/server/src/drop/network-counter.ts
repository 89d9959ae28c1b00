import { createHmac, randomBytes } from "node:crypto"
import ipaddr from "ipaddr.js"
import { HOUR_MS } from "../time.ts"

/** So many networks are told apart in an hour; past it, new ones are not counted. */
const NETWORKS_MAX = 100_000

/** Counts messages by network, in memory, under a key that is thrown away with the hour. */
export interface NetworkCounter {
  /** False where the network of this address has sent enough for this hour. */
  admit(address: string | undefined): boolean
}

/**
 * Only for a drop that is reached directly: behind a proxy or an onion service on this machine, or on a socket, everybody
 * comes from the same place, and nobody is counted.
 */
export function openNetworkCounter(perHour: number, now: () => number): NetworkCounter {
  let hour = 0
  let key = randomBytes(32)
  let counts = new Map<string, number>()
  return {
    admit(address) {
      if (perHour === 0) return true
      const network = networkOf(address)
      if (network === null) return true
      const current = Math.floor(now() / HOUR_MS)
      if (current !== hour) {
        hour = current
        key = randomBytes(32)
        counts = new Map()
      }
      const tag = createHmac("sha256", key).update(network).digest("base64")
      const count = counts.get(tag) ?? 0
      if (count >= perHour) return false
      if (count > 0 || counts.size < NETWORKS_MAX) counts.set(tag, count + 1)
      return true
    },
  }
}

/** The /24 or /56 of an address; null for this machine and for what is no address. */
function networkOf(address: string | undefined): Uint8Array | null {
  if (address === undefined || !ipaddr.isValid(address)) return null
  const parsed = ipaddr.process(address)
  if (parsed.range() === "loopback") return null
  const bytes = parsed.toByteArray()
  return Uint8Array.from(bytes.slice(0, bytes.length === 4 ? 3 : 7))
}
