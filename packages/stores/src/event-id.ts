import { createHash, randomBytes } from "node:crypto"

/** Crockford's base 32: no letter that is read as another or as a digit. */
const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
const ID_BYTES = 16
const ID_DIGITS = Math.ceil((ID_BYTES * 8) / 5)

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
  const hash = createHash("sha256")
  for (const part of parts) {
    const bytes = part instanceof Uint8Array ? part : Buffer.from(String(part))
    // With its length and type, so that no two lists of parts read alike.
    const type = part instanceof Uint8Array ? "bytes" : part === null ? "null" : typeof part
    hash.update(`${type} ${bytes.length} `).update(bytes)
  }
  return `evt_${base32(hash.digest().subarray(0, ID_BYTES))}`
}

function base32(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString("hex")}`)
  let digits = ""
  for (let i = 0; i < ID_DIGITS; i++) {
    digits = (DIGITS[Number(rest & 31n)] ?? "") + digits
    rest >>= 5n
  }
  return digits
}
