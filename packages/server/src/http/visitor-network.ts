import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"
import ipaddr from "ipaddr.js"

/**
 * The network a request comes from, as /24 or /56, or null where it is not known: behind a proxy on
 * this machine all visitors come from this machine, and counting them together would let one lock
 * out the others.
 */
export type VisitorNetwork = (request: IncomingMessage) => string | null

export function openVisitorNetwork(trustedProxies: readonly string[]): VisitorNetwork {
  const trusted = new Set(trustedProxies.map(spelt))
  return ({ socket, headers }) => {
    let address = spelt(socket.remoteAddress ?? "")
    if (trusted.size > 0) {
      // From the right, where each trusted proxy wrote whom it saw; what is left of the first that
      // is not trusted can be anything.
      const hops = String(headers["x-forwarded-for"] ?? "").split(",")
      while (trusted.has(address) && hops.length > 0) {
        const before = spelt((hops.pop() ?? "").trim())
        if (before === "") break
        address = before
      }
    }
    return networkOf(address, trusted)
  }
}

/** An address in one spelling; empty for anything that is none. */
function spelt(address: string): string {
  return isIP(address) === 0 ? "" : ipaddr.process(address).toString()
}

const THIS_MACHINE: ReadonlySet<string> = new Set(["127.0.0.1", "::1"])

function networkOf(address: string, trusted: ReadonlySet<string>): string | null {
  if (address === "" || THIS_MACHINE.has(address) || trusted.has(address)) return null
  const bytes = ipaddr.parse(address).toByteArray()
  return Buffer.from(bytes.slice(0, bytes.length === 4 ? 3 : 7)).toString("hex")
}
