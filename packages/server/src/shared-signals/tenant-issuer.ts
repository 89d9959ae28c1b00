import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto"

/**
 * Every tenant is an issuer of its own. With one for all, a tenant could have a token made about
 * its own watch list that names another tenant's user, and hand it to that one's receiver.
 */
export interface TenantIssuers {
  issuerOf(tenantId: number): string
  /** null for what names no tenant. */
  tenantOf(name: string): number | null
}

const BYTES = 16
export const ISSUER_PATH = "/ssf/"

/**
 * The name of a tenant is its number, encrypted: numbers would tell how many there are. The block
 * holds zeros besides, by which a name that was made up is known.
 */
export function openTenantIssuers(subkey: Uint8Array, origin: string): TenantIssuers {
  const key = Buffer.from(
    hkdfSync("sha256", subkey, new Uint8Array(0), "assay/v1/issuer of a tenant", 32),
  )
  const names = new Map<number, string>()
  const nameOf = (tenantId: number): string => {
    const block = Buffer.alloc(BYTES)
    block.writeUIntBE(tenantId, BYTES - 6, 6)
    const cipher = createCipheriv("aes-256-ecb", key, null).setAutoPadding(false)
    return Buffer.concat([cipher.update(block), cipher.final()]).toString("base64url")
  }
  return {
    issuerOf(tenantId) {
      const known = names.get(tenantId) ?? nameOf(tenantId)
      names.set(tenantId, known)
      return `${origin}${ISSUER_PATH}${known}`
    },
    tenantOf(name) {
      const sealed = Buffer.from(name, "base64url")
      if (sealed.length !== BYTES || sealed.toString("base64url") !== name) return null
      const decipher = createDecipheriv("aes-256-ecb", key, null).setAutoPadding(false)
      const block = Buffer.concat([decipher.update(sealed), decipher.final()])
      const isNamed = block.subarray(0, BYTES - 6).every((byte) => byte === 0)
      return isNamed ? block.readUIntBE(BYTES - 6, 6) : null
    },
  }
}
