/** Returns the key unchanged; throws a TypeError for one the service would refuse. */
export function checkedKey(idempotencyKey: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey))
    throw new TypeError("idempotencyKey takes 1 to 255 visible ASCII characters")
  return idempotencyKey
}

/** Not `randomUUID`, which browsers have on secure pages only. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
