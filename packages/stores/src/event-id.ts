import { hash, randomBytes } from "node:crypto"

/** Crockford's base 32: no letter that is read as another or as a digit. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
const ID_BYTES = 16

/** A new random name with this beginning, such as `evt_`. */
export function newId(prefix: string): string {
  return prefix + base32(randomBytes(ID_BYTES))
}

export function eventId(): string {
  return newId("evt_")
}

/**
 * The id of an event that follows from something stored, so that whoever derives it again, after a
 * kill or in another process, makes the same event.
 */
export function derivedEventId(parts: readonly (string | number | Uint8Array | null)[]): string {
  const pieces = parts.map((part) => {
    const bytes = part instanceof Uint8Array ? part : Buffer.from(String(part))
    // With its length and type, so that no two lists of parts read alike.
    const type = part instanceof Uint8Array ? "bytes" : part === null ? "null" : typeof part
    return [Buffer.from(`${type} ${bytes.length} `), bytes]
  })
  const digest = Buffer.from(hash("sha256", Buffer.concat(pieces.flat()), "latin1"), "latin1")
  return `evt_${base32(digest.subarray(0, ID_BYTES))}`
}

/** By what its first digit tells an event from its decision, and from the other one about it. */
const MARKS = { "decision.critical": 4, "decision.review": 5 } as const

/**
 * The id of an event about a decision: the decision's own but for one bit or two of its first
 * digit, which is 0 in every id until the year 3084. Derived like those above, at no cost, and new
 * ones stand beside each other in an index.
 */
export function decisionEventId(kind: keyof typeof MARKS, decisionId: string): string {
  return `evt_${Number(decisionId[FIRST_DIGIT_AT]) ^ MARKS[kind]}${decisionId.slice(FIRST_DIGIT_AT + 1)}`
}

const FIRST_DIGIT_AT = "dec_".length

function base32(bytes: Uint8Array): string {
  let digits = ""
  let rest = 0
  let bits = 0
  for (let place = bytes.length - 1; place >= 0; place--) {
    rest |= (bytes[place] ?? 0) << bits
    for (bits += 8; bits >= 5; bits -= 5) {
      digits = (DIGITS[rest & 31] ?? "") + digits
      rest >>>= 5
    }
  }
  return bits === 0 ? digits : (DIGITS[rest] ?? "") + digits
}
