import { forbiddenCharacter, trimAsciiSpace } from "./email-characters.ts"
import { INPUT_UNITS_MAX, type ParsedDomain, readDomain } from "./email-domain.ts"
import { emailFault, type EmailFault } from "./email-fault.ts"
import { LOCAL_OCTETS_MAX, readLocalPart, utf8Octets } from "./email-local-part.ts"
import { canonicalForm } from "./mailbox.ts"

/**
 * An e-mail address in the forms of identity/v1. `"fault" in result` identifies an `EmailFault`.
 */
export interface ParsedEmail extends ParsedDomain {
  /** The address as such: case, Unicode form, needless quotes and domain spelling made one. */
  readonly exact: string
  /** The mailbox it delivers to: sub-addresses and the provider's second names taken off. */
  readonly canonical: string
  /** The local part of `exact`. */
  readonly local: string
}

const ADDRESS_OCTETS_MAX = 254

// What all but a few addresses look like: ASCII, no quotes. Nothing here needs Unicode tables.
const PLAIN =
  /^[\w!#$%&'*+\-/=?^`{|}~]+(?:\.[\w!#$%&'*+\-/=?^`{|}~]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/**
 * Reads an e-mail address as mail systems accept it (RFC 5321, 5322, 6531), or says why it is none.
 * Never throws. The exact form of a result parses to the same result.
 */
export function parseEmail(text: string): ParsedEmail | EmailFault {
  const address = trimAsciiSpace(text)
  return parsePlainEmail(address) ?? parseAnyEmail(address)
}

/**
 * The short way for plain addresses, null for all others; a test holds it equal to the long way.
 */
export function parsePlainEmail(address: string): ParsedEmail | null {
  if (address.length > ADDRESS_OCTETS_MAX || !PLAIN.test(address)) return null
  const exact = address.toLowerCase()
  const at = exact.lastIndexOf("@")
  // An `xn--` label has to be decoded and checked.
  if (at > LOCAL_OCTETS_MAX || exact.includes("xn--", at)) return null
  const domain = exact.slice(at + 1)
  return parsed(exact.slice(0, at), { domain, unicodeDomain: domain })
}

/** The long way, for any text that is already trimmed. */
export function parseAnyEmail(address: string): ParsedEmail | EmailFault {
  if (address === "") return emailFault("empty")
  if (address.length > INPUT_UNITS_MAX) return emailFault("too-long")
  const forbidden = forbiddenCharacter(address)
  if (forbidden !== null) return emailFault(forbidden)
  const at = address.lastIndexOf("@")
  if (at === -1) return emailFault("no-at")
  const localPart = readLocalPart(address.slice(0, at))
  if ("fault" in localPart) return emailFault(localPart.fault)
  const domain = readDomain(address.slice(at + 1))
  if (typeof domain === "string") return emailFault(domain)
  // Measured on the exact form, so that a domain's two spellings are accepted or refused together.
  const octets = utf8Octets(localPart.local) + 1 + domain.domain.length
  if (octets > ADDRESS_OCTETS_MAX) return emailFault("too-long")
  return parsed(localPart.local, domain)
}

function parsed(local: string, { domain, unicodeDomain }: ParsedDomain): ParsedEmail {
  return {
    exact: `${local}@${domain}`,
    canonical: canonicalForm(local, domain),
    local,
    domain,
    unicodeDomain,
  }
}
