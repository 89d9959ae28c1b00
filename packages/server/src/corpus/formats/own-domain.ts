import { registrableDomain } from "../../lists/registrable-domain.ts"
import type { EvidenceKind } from "../../stores/exposure-index.ts"
import type { ParsedRow } from "./format.ts"

const SCHEME = /^([a-z][a-z0-9+.-]{0,30}):\/\//i

/**
 * Whether a site belongs to the mail domain of the address used there. Stealers pick such rows up from web mail, and
 * collections are padded with made-up ones: they say that a mailbox exists, which is known, and name no other account.
 *
 * Only mailboxes with nothing but such rows are meant, yet each row is left out where it stands, which one pass over a
 * file of any size can do. For a mailbox with rows of other sites too the outcome is the same: an entry does not name
 * the site, so the others already make the entry that this row would have made. What it could have added is a second
 * password.
 */
export function isOwnDomain(site: string, address: string): boolean {
  const host = hostOf(site)
  const mailDomain = address
    .slice(address.lastIndexOf("@") + 1)
    .trim()
    .toLowerCase()
  if (host === null || !endAlike(host, mailDomain)) return false
  const registrable = registrableDomain(host)
  return registrable !== null && registrable.domain === registrableDomain(mailDomain)?.domain
}

/** The same for a row of a table that may be of a stealer log: others name sites for other reasons. */
export function isOwnDomainNoise(row: ParsedRow, importKind: EvidenceKind, site: unknown): boolean {
  return (
    (row.kind ?? importKind) === "stealer" &&
    row.subject === "email" &&
    typeof site === "string" &&
    isOwnDomain(site.trim(), row.identity)
  )
}

/** The host of a URL, with or without a scheme; null for an app, which is named by its package. */
export function hostOf(site: string): string | null {
  const scheme = SCHEME.exec(site)
  if (scheme?.[1]?.toLowerCase() === "android") return null
  const [authority = ""] = site.slice(scheme?.[0].length ?? 0).split(/[/?#\\]/, 1)
  const [host = ""] = authority.slice(authority.lastIndexOf("@") + 1).split(":", 1)
  return host === "" ? null : host.trim().toLowerCase()
}

/** Whether the last two labels are the same, as they are wherever the registrable domain is. Far cheaper to tell. */
function endAlike(one: string, two: string): boolean {
  return lastTwoLabels(one) === lastTwoLabels(two)
}

function lastTwoLabels(domain: string): string {
  const last = domain.lastIndexOf(".")
  return domain.slice(domain.lastIndexOf(".", last - 1) + 1)
}
