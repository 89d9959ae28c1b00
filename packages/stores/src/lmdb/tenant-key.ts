import { KEY_BYTES } from "../exposure-index.ts"

/** What a tenant's own evidence of an identity stands under. */
export function tenantKey(tenantId: number, key: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(4 + KEY_BYTES)
  bytes.writeUInt32BE(tenantId)
  bytes.set(key, 4)
  return bytes
}
