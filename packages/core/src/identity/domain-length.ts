import type { EmailFaultWord } from "./email-fault.ts"

export const DOMAIN_OCTETS_MAX = 253
export const LABEL_OCTETS_MAX = 63

/** UTS #46 maps these to a dot. */
const DOTS = /[.\u3002\uff0e\uff61]/u

// Characters that IDNA may reduce to nothing: those it ignores, marks and Hangul letters that melt
// into the character before them, and compatibility forms of these. Every other character takes at
// least one octet of its label. Listing too many characters only costs time: it never refuses a
// domain.
const MELTING =
  /[\p{M}\u00ad\u1100-\u11ff\u180e\u200b\u2060-\u206f\u3130-\u318f\ufeff\uff9e-\uffdf\u{16d40}-\u{16d7f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]/gu

// Characters that end a run of marks that are sorted together. Ignored marks do so too.
const BETWEEN_MARKS =
  /(?:\P{M}|[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}])+/u
// No composed character is made of more than four, so a run of more marks is more than 63
// characters.
const MARKS_MAX = 4 * LABEL_OCTETS_MAX

/**
 * Refuses a domain for its length before it is normalised and encoded, which takes time that grows
 * with the square of its length. Refuses nothing that would be accepted: an honest domain of many
 * marks or joined letters passes.
 */
export function surelyTooLong(text: string): EmailFaultWord | null {
  if (text.length <= LABEL_OCTETS_MAX) return null
  const labels = text.replace(MELTING, "").split(DOTS)
  return (
    lengthFault(labels) ??
    (text.split(BETWEEN_MARKS).some((run) => codePoints(run) > MARKS_MAX) ? "label-too-long" : null)
  )
}

/**
 * Why labels in Unicode are too long for the DNS, or null: each character is at least one octet of
 * its encoding.
 */
export function lengthFault(labels: readonly string[]): EmailFaultWord | null {
  let octets = labels.length - 1
  for (const label of labels) {
    const characters = codePoints(label)
    if (characters > LABEL_OCTETS_MAX) return "label-too-long"
    octets += characters
  }
  // One more than the most: a trailing dot is taken off.
  return octets > DOMAIN_OCTETS_MAX + 1 ? "too-long" : null
}

function codePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count--
  return count
}
