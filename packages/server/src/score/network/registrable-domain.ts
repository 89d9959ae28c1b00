import { getDomain } from "tldts"

// Names arrive in the form of the DNS. What holds for a suffix of the list's private part holds for customers of it:
// each of them registers a name of its own.
const OPTIONS = { allowPrivateDomains: true, extractHostname: false, validateHostname: false }

/** The part of a name that somebody registered, or null for a suffix under which others register theirs. */
export function registrableDomain(domain: string): string | null {
  return getDomain(domain, OPTIONS)
}
