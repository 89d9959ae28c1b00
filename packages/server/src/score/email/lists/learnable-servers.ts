import ipaddr from "ipaddr.js"
import { readDataFile } from "./data-file.ts"
import { registrableDomain } from "./registrable-domain.ts"
import { shippedLists } from "./shipped-lists.ts"

const shared: ReadonlySet<string> = new Set(
  readDataFile(new URL("./shared-mail-hosts.csv", import.meta.url)).map(([domain = ""]) => domain),
)

/** Ranges where an address is another machine for everybody who asks. */
const NOBODYS: ReadonlySet<string> = new Set([
  "unspecified",
  "loopback",
  "private",
  "linkLocal",
  "uniqueLocal",
  "carrierGradeNat",
  "multicast",
  "broadcast",
])

/**
 * Whether a mail server says something about the hosts it serves: one of a provider or a mail
 * company serves anybody.
 */
export function isLearnableServer(name: string): boolean {
  if (registrableDomain(name) === null) return false
  const { table, masks } = shippedLists()
  // Up to the last dot, past what somebody registered: a company's own domain may be a suffix for
  // its customers.
  for (let from = 0; name.includes(".", from); from = name.indexOf(".", from) + 1) {
    const anybody = table.marks(name, from) & (masks.guard | masks.free | masks.masked)
    if (anybody !== 0 || shared.has(name.slice(from))) return false
  }
  return true
}

export function isLearnableAddress(address: string): boolean {
  return ipaddr.isValid(address) && !NOBODYS.has(ipaddr.parse(address).range())
}
