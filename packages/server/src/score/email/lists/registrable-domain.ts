import { parse } from "tldts"

export interface RegistrableDomain {
  readonly domain: string
  /** Where it starts in the full domain. */
  readonly start: number
  /** Its label before the public suffix: `gmail` of `gmail.com`. */
  readonly name: string
  /**
   * `com`, `co.uk`, and `github.io` too: under a private suffix too, neighbours have different
   * owners.
   */
  readonly suffix: string
}

const OPTIONS = { allowPrivateDomains: true, validateHostname: false, extractHostname: false }

/**
 * The part of a domain somebody registered; null for a public suffix, which has no owner among its
 * users.
 */
export function registrableDomain(domain: string): RegistrableDomain | null {
  const {
    domain: registrable,
    domainWithoutSuffix: name,
    publicSuffix: suffix,
  } = parse(domain, OPTIONS)
  if (registrable === null || name === null || suffix === null) return null
  return { domain: registrable, start: domain.length - registrable.length, name, suffix }
}

/**
 * Visits a domain and its parents, nearest first, as positions in the text: down to the part
 * somebody registered and never past it, since a list that names a public suffix says nothing of
 * who has a name under it.
 */
export function walkParents(
  domain: string,
  registrable: RegistrableDomain | null,
  visit: (from: number) => void,
): void {
  const last = registrable?.start ?? 0
  for (let from = 0; from < last; from = domain.indexOf(".", from) + 1) visit(from)
  visit(last)
}
