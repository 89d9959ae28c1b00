import { KEY_BYTES } from "../exposure-index.ts"
import { isReadable } from "../stored-set.ts"
import type { CheckedDatabase, ReadAt } from "./checked-database.ts"
import type { Environment } from "./environment.ts"
import { tenantKey } from "./tenant-key.ts"

/** Reads up to `count` identities of everyone, and as many of tenants, spread evenly. */
export function sampled(
  count: number,
  tenants: ReadonlySet<number>,
  on: Environment,
  at: ReadAt,
): { read: number; faults: number } {
  const tenantIds = [...tenants]
  const seen = new Set<string>()
  let faults = 0
  const probe = (database: CheckedDatabase, start: Uint8Array): void => {
    for (const { key, value, intact } of database.range({ start, limit: 1 }, at)) {
      const id = `${database === on.shared ? "s" : "t"}${Buffer.from(key).toString("hex")}`
      if (seen.has(id)) continue
      seen.add(id)
      if (!intact || !isReadable(value)) faults += 1
    }
  }
  for (let i = 0; i < count; i++) {
    // Keys are hashes, so equal steps through the key space are equal steps through the identities.
    const key = keyAt(i, count)
    probe(on.shared, key)
    const tenantId = tenantIds[Math.floor((i * tenantIds.length) / count)]
    if (tenantId !== undefined) probe(on.tenants, tenantKey(tenantId, key))
  }
  return { read: seen.size, faults }
}

/** The key `part` of `parts` of the way through all possible keys. */
function keyAt(part: number, parts: number): Uint8Array {
  const place = (BigInt(part) << 128n) / BigInt(parts)
  return Buffer.from(place.toString(16).padStart(2 * KEY_BYTES, "0"), "hex")
}
