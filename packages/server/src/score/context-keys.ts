import { sha256 } from "@assay/runtime/secrets"

/** A service key belongs to no tenant; tenants are numbered from 1. */
export const NO_TENANT = 0
const DAY_KEYS_MAX = 10_000
/** Above any number a day will have, so that tenant and day make one number. */
const DAYS_MAX = 1_000_000

/** The key that a tenant's names of a UTC day are made under. */
export type ContextKey = (tenantId: number, day: number) => Uint8Array

export function openContextKeys(contextSubkey: Uint8Array): ContextKey {
  const dayKeys = new Map<number, Uint8Array>()
  return (tenantId, day) => {
    const id = tenantId * DAYS_MAX + day
    const known = dayKeys.get(id)
    if (known !== undefined) return known
    const key = sha256(contextSubkey, Buffer.from(`context of day ${day} for ${tenantId} `))
    if (dayKeys.size >= DAY_KEYS_MAX) dayKeys.clear()
    dayKeys.set(id, key)
    return key
  }
}

/** Keeps values of different kinds apart, should they ever be the same bytes. */
export const NAME_KINDS = {
  mailbox: Uint8Array.of(1),
  address: Uint8Array.of(2),
  account: Uint8Array.of(3),
  device: Uint8Array.of(4),
  browser: Uint8Array.of(5),
  network: Uint8Array.of(6),
  cluster: Uint8Array.of(7),
  number: Uint8Array.of(8),
  numberAccount: Uint8Array.of(9),
  numberDevice: Uint8Array.of(10),
}
