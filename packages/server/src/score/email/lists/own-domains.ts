import { parseDomain } from "@assay/core/identity"
import { type DomainLooks, looksOf } from "./domain-looks.ts"
import { isOneSlipApart } from "./look-alikes.ts"
import { registrableDomain } from "./registrable-domain.ts"

/** The domains of one tenant, ready to be compared with. */
export type OwnDomains = readonly DomainLooks[]

/** What a domain is to a tenant: its own, or one that is made to be taken for its own. */
export type OwnLikeness =
  | { readonly own: true }
  | {
      readonly own: false
      /** The tenant's domain. */
      readonly imitates: string
      /** By letters that look alike, not by a slip. */
      readonly byLetters: boolean
    }

/** Below this, one letter more or less makes too many honest names. */
export const SLIP_NAME_MIN = 4

/** What companies, and those who pose as one, add to their names. */
export const COMPANY_WORDS: readonly string[] = ["-inc", "-llc", "-ltd", "-corp", "-gmbh"]

/**
 * The part of a text that somebody registered, in ASCII; null for what is no domain, and for a
 * public suffix.
 */
export function ownDomainOf(text: string): string | null {
  const parsed = parseDomain(text)
  return "fault" in parsed ? null : (registrableDomain(parsed.domain)?.domain ?? null)
}

const compared = new WeakMap<readonly string[], OwnDomains>()

/** Remembered for each tenant's list: it is asked for with every address. */
export function ownDomains(domains: readonly string[]): OwnDomains {
  const known = compared.get(domains) ?? looksOfAll(domains)
  compared.set(domains, known)
  return known
}

function looksOfAll(domains: readonly string[]): OwnDomains {
  return domains.flatMap((domain) => {
    const parsed = parseDomain(domain)
    if ("fault" in parsed) return []
    return looksOf(parsed, registrableDomain(parsed.domain)) ?? []
  })
}

/** null for a domain that has nothing to do with the tenant's. */
export function likenessToOwn(
  domain: string,
  looks: DomainLooks | null,
  own: OwnDomains,
): OwnLikeness | null {
  if (looks === null) return null
  if (own.some(({ registered }) => registered === looks.registered)) return { own: true }
  for (const each of own) {
    if (looks.skeleton === each.skeleton)
      return { own: false, imitates: each.registered, byLetters: !looks.isAscii }
  }
  const imitated = own.find((each) => isNear(domain, looks, each))
  if (imitated === undefined) return null
  return { own: false, imitates: imitated.registered, byLetters: false }
}

function isNear(domain: string, looks: DomainLooks, own: DomainLooks): boolean {
  // The same name under another suffix, or with "rn" for "m" there.
  if (looks.nameSkeleton === own.nameSkeleton) return true
  if (
    looks.suffix === own.suffix &&
    own.name.length >= SLIP_NAME_MIN &&
    isOneSlipApart(looks.name, own.name)
  )
    return true
  if (looks.name.startsWith(own.name) && COMPANY_WORDS.includes(looks.name.slice(own.name.length)))
    return true
  // acme.com.login.example: what people read first is the tenant's.
  return domain.startsWith(own.registered) && domain[own.registered.length] === "."
}
