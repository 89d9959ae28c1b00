import { analyzeDomain } from "@hapi/address"
import { toASCII, toUnicode } from "tr46"
import { DOMAIN_OCTETS_MAX, LABEL_OCTETS_MAX, lengthFault, surelyTooLong } from "./domain-length.ts"
import { forbiddenCharacter, trimAsciiSpace } from "./email-characters.ts"
import { emailFault, type EmailFault, type EmailFaultWord } from "./email-fault.ts"

export interface ParsedDomain {
  /**
   * In the form of the DNS: lower-case ASCII, internationalised labels as `xn--…`, no trailing dot.
   */
  readonly domain: string
  /** As its owner writes it; the same text where no label is internationalised. */
  readonly unicodeDomain: string
}

/**
 * Longer text cannot come down to 254 octets by anything an honest sender does; it only costs time.
 */
export const INPUT_UNITS_MAX = 1024

// UTS #46 as identity/v1 freezes it, non-transitional: "ß" stays "ß". CheckHyphens stays off, since
// registered names with hyphens in third and fourth place exist; hyphens at either end of a label
// are refused with RFC 5321 below. Lengths are checked here for the sake of their own fault words.
const UTS46 = {
  checkBidi: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  transitionalProcessing: false,
}

/** Reads a domain in Unicode or `xn--` spelling; both give the same result. */
export function parseDomain(text: string): ParsedDomain | EmailFault {
  const trimmed = trimAsciiSpace(text)
  if (trimmed.length > INPUT_UNITS_MAX) return emailFault("too-long")
  const forbidden = forbiddenCharacter(trimmed)
  if (forbidden !== null) return emailFault(forbidden)
  const read = readDomain(trimmed)
  return typeof read === "string" ? emailFault(read) : read
}

/** The same for text that is already trimmed and free of forbidden characters. */
export function readDomain(text: string): ParsedDomain | EmailFaultWord {
  if (text === "") return "domain-empty"
  if (text.startsWith("[")) return "address-literal"
  const tooLong = surelyTooLong(text)
  if (tooLong !== null) return tooLong
  const normal = text.normalize("NFC")
  // A text of this length passed the check above only because part of it melts away. Encoding is
  // expensive, so the length is counted first.
  if (normal.length > DOMAIN_OCTETS_MAX) {
    const fault = lengthFault(toUnicode(normal, UTS46).domain.split("."))
    if (fault !== null) return fault
  }
  const ascii = toASCII(normal, UTS46)
  if (ascii === null) return "domain-invalid"
  const domain = ascii.endsWith(".") ? ascii.slice(0, -1) : ascii
  if (domain === "") return "domain-empty"
  const labels = domain.split(".")
  if (labels.includes("")) return "label-empty"
  if (labels.some((label) => label.length > LABEL_OCTETS_MAX)) return "label-too-long"
  if (domain.length > DOMAIN_OCTETS_MAX) return "too-long"
  if (labels.length === 1) return "single-label-domain"
  // Last, so that only what RFC 1035 and RFC 5321 add is left to it: hyphens and top-level labels.
  if (analyzeDomain(domain) !== null) return "domain-invalid"
  return { domain, unicodeDomain: unicodeForm(domain) }
}

function unicodeForm(domain: string): string {
  return domain.includes("xn--") ? toUnicode(domain, UTS46).domain : domain
}
