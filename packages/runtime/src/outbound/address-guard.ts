import { BlockList, isIP } from "node:net"

/** Says which addresses may be called on behalf of somebody who gave us a URL. */
export interface AddressGuard {
  /**
   * `public`: anybody may. `allowed`: private, and the operator allowed its range. `refused`: all
   * others, and whatever is no address.
   */
  judge(address: string): "public" | "allowed" | "refused"
}

/** A range of addresses, such as `10.1.0.0/16` or `fd00::/8`. */
export interface AddressRange {
  readonly address: string
  readonly prefix: number
  readonly family: "ipv4" | "ipv6"
}

/** What IANA's registry of special-purpose addresses takes out of the internet (RFC 6890). */
const NOT_PUBLIC_V4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared by carriers
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, with the clouds' metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
] as const

/** Of IPv6 only global unicast is public, without what carries or stands for other addresses. */
const GLOBAL_V6 = ["2000::/3"] as const
const NOT_PUBLIC_V6 = [
  "2001::/23", // Teredo, benchmarks, ORCHID
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "3fff::/20", // documentation
] as const

/** Where an address of IPv4 is written as one of IPv6: mapped, and behind NAT64. */
const CARRIES_V4 = ["::ffff:0:0/96", "64:ff9b::/96"] as const

/** Reads a range; an address alone is a range of one. null: it is none. */
export function readAddressRange(text: string): AddressRange | null {
  const [, address = "", digits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text.trim()) ?? []
  const version = isIP(address)
  if (version === 0) return null
  const bits = version === 4 ? 32 : 128
  const prefix = digits === undefined ? bits : Number(digits)
  return prefix > bits ? null : { address, prefix, family: version === 4 ? "ipv4" : "ipv6" }
}

export function openAddressGuard(allowed: readonly AddressRange[]): AddressGuard {
  const allowedList = listOf(allowed)
  const privateV4 = listOf(ranges(NOT_PUBLIC_V4))
  const globalV6 = listOf(ranges(GLOBAL_V6))
  const privateV6 = listOf(ranges(NOT_PUBLIC_V6))
  const carriesV4 = listOf(ranges(CARRIES_V4))
  const judge: AddressGuard["judge"] = (address) => {
    const version = isIP(address)
    if (version === 0) return "refused"
    if (version === 4) {
      if (!privateV4.check(address)) return "public"
      return allowedList.check(address) ? "allowed" : "refused"
    }
    if (carriesV4.check(address, "ipv6")) return judge(carriedIn(address))
    if (globalV6.check(address, "ipv6") && !privateV6.check(address, "ipv6")) return "public"
    return allowedList.check(address, "ipv6") ? "allowed" : "refused"
  }
  return { judge }
}

function ranges(texts: readonly string[]): AddressRange[] {
  return texts.flatMap((text) => readAddressRange(text) ?? [])
}

function listOf(all: readonly AddressRange[]): BlockList {
  const list = new BlockList()
  for (const { address, prefix, family } of all) list.addSubnet(address, prefix, family)
  return list
}

/** The last four bytes of an address of IPv6, as one of IPv4. */
function carriedIn(address: string): string {
  const dotted = /[\d.]+$/.exec(address)?.[0]
  if (dotted?.includes(".") === true) return dotted
  // The URL parser writes any spelling in groups of hexadecimal digits, the longest run of zeros
  // as "::".
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(":")
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || "0", 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join(".")
}
