import { openSealer } from "./sealed.ts"

/** Identities that a tenant wants to be told with its events: the only ones that are kept. */
export interface SealedIdentities {
  seal(identity: string, tenantId: number): Uint8Array
  /** null for what is another tenant's. Only for whoever hands it to the tenant at once. */
  open(sealed: Uint8Array, tenantId: number): string | null
}

export function openSealedIdentities(subkey: Uint8Array): SealedIdentities {
  const sealer = openSealer(subkey, "watched identity")
  const nameOf = (tenantId: number): string => `tenant:${tenantId}`
  return {
    seal: (identity, tenantId) => sealer.seal(identity, nameOf(tenantId)),
    open: (sealed, tenantId) => sealer.open(sealed, nameOf(tenantId)),
  }
}
