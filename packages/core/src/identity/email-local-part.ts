import { isEmailValid } from "@hapi/address"
import { parse as parseMailbox } from "smtp-address-parser"
import { forbiddenInLocalPart } from "./email-characters.ts"
import type { EmailFaultWord } from "./email-fault.ts"

export const LOCAL_OCTETS_MAX = 64
const utf8 = new TextEncoder()

/** The exact form of a local part, or the fault. */
export function readLocalPart(
  text: string,
): { readonly local: string } | { readonly fault: EmailFaultWord } {
  if (text === "") return { fault: "local-empty" }
  // NFC makes no text shorter than half as many octets: at most four units become one character,
  // which then has two octets or more. So this much is known before it, and NFC takes time that
  // grows with the square of the marks in a row.
  if (text.length > 2 * LOCAL_OCTETS_MAX) return { fault: "local-too-long" }
  const normal = text.normalize("NFC")
  // As written and again as kept: lower case may be longer ("İ" has two octets, its lower case
  // three), and the exact form must itself be an address.
  if (utf8Octets(normal) > LOCAL_OCTETS_MAX) return { fault: "local-too-long" }
  const forbidden = forbiddenInLocalPart(normal)
  if (forbidden !== null) return { fault: forbidden }
  const content = isDotString(normal) ? normal : quotedContent(normal)
  if (content === null) return { fault: "local-invalid" }
  const folded = fold(content)
  const local = isDotString(folded) ? folded : quote(folded)
  return utf8Octets(local) > LOCAL_OCTETS_MAX ? { fault: "local-too-long" } : { local }
}

/** Whether a local part in exact form has quotes, which then it cannot do without. */
export function isQuoted(local: string): boolean {
  return local.startsWith('"')
}

/** Octets of the text in UTF-8, the measure of RFC 5321 and RFC 6531. */
export function utf8Octets(text: string): number {
  return utf8.encode(text).length
}

// The domain is fixed and known good, so the answer is about the local part alone.
function isDotString(local: string): boolean {
  return isEmailValid(`${local}@example.com`, { ignoreLength: true })
}

/**
 * The content of a quoted string, without quotes and escapes; null if it is not one (RFC 5321,
 * 4.1.2).
 */
function quotedContent(local: string): string | null {
  // The grammar costs some 150 µs: text that cannot be a quoted string does not reach it.
  if (local.length < 2 || !local.startsWith('"') || !local.endsWith('"')) return null
  try {
    parseMailbox(`${local}@example.com`)
  } catch {
    return null
  }
  return local.slice(1, -1).replace(/\\(.)/gu, "$1")
}

function quote(content: string): string {
  return `"${content.replace(/["\\]/g, "\\$&")}"`
}

// Lower case ends a word with "ς" and every other sigma is "σ"; a mailbox has one spelling. NFC
// once more, because lower case can leave marks in another order than NFC puts them ("İ" with a
// cedilla).
function fold(local: string): string {
  return local.toLowerCase().replaceAll("ς", "σ").normalize("NFC")
}
