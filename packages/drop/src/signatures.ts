import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto"

/** Signs what the drop gives out and must get back unchanged, so that it need not keep a list. */
export interface Signatures {
  sign(body: Uint8Array): string
  /** The body of a text that was signed here for this purpose, or null. */
  read(text: string): Buffer | null
}

const MAC_BYTES = 32
/** Longer than anything signed here: a longer text is not even decoded. */
const TEXT_MAX = 256

/** Signs for one purpose: a form token is never taken for a ticket. */
export function openSignatures(secret: Uint8Array, purpose: string): Signatures {
  const key = purposeKey(secret, purpose)
  const mac = (body: Uint8Array): Buffer => createHmac("sha256", key).update(body).digest()
  return {
    sign: (body) => Buffer.concat([body, mac(body)]).toString("base64url"),
    read(text) {
      if (text.length > TEXT_MAX) return null
      const bytes = Buffer.from(text, "base64url")
      // Decoding is lenient, and one thing signed must have one way to be written.
      if (bytes.toString("base64url") !== text) return null
      const body = bytes.subarray(0, -MAC_BYTES)
      const given = bytes.subarray(-MAC_BYTES)
      return given.length === MAC_BYTES && timingSafeEqual(given, mac(body)) ? body : null
    },
  }
}

/** A key of 32 bytes that is of no use for any other purpose. */
export function purposeKey(secret: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `drop/v1/signature/${purpose}`, 32))
}

/** The hash that represents a spent token in the store. It reveals nothing about the token. */
export function spentHash(body: Uint8Array): Buffer {
  return createHash("sha256").update("drop/v1/spent").update(body).digest()
}
