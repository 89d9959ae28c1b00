import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto"

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Keeps small texts unreadable to whoever has the database, or whom they are handed to. */
export interface Sealer {
  /** `of`: whose it is; for anybody else it cannot be opened. */
  seal(text: string, of?: string): Uint8Array
  /** null for what was not sealed by this one, or is somebody else's. */
  open(sealed: Uint8Array, of?: string): string | null
}

/** A purpose has a key of its own: what was sealed for one cannot be opened for another. */
export function openSealer(subkey: Uint8Array, purpose: string): Sealer {
  const key = keyFor(subkey, `seal ${purpose}`)
  return {
    seal(text, of = "") {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(of))
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()])
    },
    open(sealed, of = "") {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return null
      const nonce = sealed.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(of))
      decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES))
      try {
        const text = decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES))
        return Buffer.concat([text, decipher.final()]).toString("utf8")
      } catch {
        return null
      }
    },
  }
}

/** A hash that only this service can make: what it was made of cannot be tried out elsewhere. */
export function openKeyedHash(subkey: Uint8Array, purpose: string): (text: string) => Uint8Array {
  const key = keyFor(subkey, `hash ${purpose}`)
  return (text) => createHmac("sha256", key).update(text, "utf8").digest()
}

function keyFor(subkey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", subkey, new Uint8Array(0), `assay/v1/${purpose}`, 32))
}
