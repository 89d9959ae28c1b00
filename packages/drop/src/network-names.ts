import { createHmac, randomBytes } from "node:crypto"
import ipaddr from "ipaddr.js"
import { HOUR_MS } from "@assay/runtime/time"

/**
 * What a network is called for an hour, in this process: a name from which no address can be found
 * afterwards.
 */
export interface NetworkNames {
  /**
   * The name of an address's network; null for this machine and for anything that is no address.
   * Behind a proxy or an onion service on this machine, and on a socket, every visitor comes from
   * this machine.
   */
  nameOf(address: string | undefined): string | null
  /** Changes with the names. */
  hour(): number
}

export function openNetworkNames(now: () => number): NetworkNames {
  let made = Math.floor(now() / HOUR_MS)
  let key = randomBytes(32)
  const hour = (): number => {
    const current = Math.floor(now() / HOUR_MS)
    if (current !== made) key = randomBytes(32)
    return (made = current)
  }
  return {
    hour,
    nameOf(address) {
      const network = networkOf(address)
      if (network === null) return null
      hour()
      return createHmac("sha256", key).update(network).digest("base64")
    },
  }
}

/** The /24 or /56 of an address. */
function networkOf(address: string | undefined): Uint8Array | null {
  if (address === undefined || !ipaddr.isValid(address)) return null
  const parsed = ipaddr.process(address)
  if (parsed.range() === "loopback") return null
  const bytes = parsed.toByteArray()
  return Uint8Array.from(bytes.slice(0, bytes.length === 4 ? 3 : 7))
}
