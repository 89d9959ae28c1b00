import { hash } from "node:crypto"

const DIGITS = 8

/** Names the lists and the tenant's own domains that values of a domain were made by. */
export function valuesVersion(lists: string, domains: readonly string[] | null): string {
  return domains === null
    ? lists
    : `${lists}.${hash("sha256", JSON.stringify(domains)).slice(0, DIGITS)}`
}
