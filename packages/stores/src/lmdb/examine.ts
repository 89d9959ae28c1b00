import { MalformedBytes } from "../bytes.ts"
import type { Catalogue } from "../catalogue.ts"
import { isTombstone, readEntrySet } from "../entry-set.ts"
import { KEY_BYTES } from "../exposure-index.ts"
import { isReadable } from "../stored-set.ts"
import type { Buckets } from "./buckets.ts"
import type { CheckedDatabase, ReadAt } from "./checked-database.ts"
import { tenantKey, type Environment } from "./environment.ts"
import { turn, withGeneration } from "./index-facts.ts"
import { chunksOf, readingAll } from "./scan.ts"
import { KEY_CHECK, readDocument } from "./stored.ts"

/** What a batch has in the index. */
export interface BatchHolding {
  entries: number
  cut: number
  identities: number
}

export interface Examined {
  readonly catalogue: Catalogue
  readonly keyCheckValue: string | null
  readonly sets: number
  /** By batch; shared sets only. */
  readonly holdings: ReadonlyMap<number, BatchHolding>
  /** Keys of erased identities, as characters. */
  readonly erased: ReadonlySet<string>
  /** The faults found, by kind, with how often each occurred. */
  readonly faults: ReadonlyMap<string, number>
}

const TENANT_KEY_BYTES = 4 + KEY_BYTES

/**
 * Reads the whole index as of one moment: the number of keys, their order, every checksum, every
 * set, every batch a set names. Waits for `pause` after every few thousand sets.
 */
export function examineIndex(
  path: string,
  onProgress: (done: number, total: number) => void,
  pause: () => Promise<void> = turn,
): Promise<Examined> {
  return withGeneration(path, (on) =>
    readingAll(on, async (snapshot) => {
      const catalogue = readDocument(on.meta, null, snapshot.at)
      const keyCheck = on.meta.copied(KEY_CHECK, snapshot.at)
      const holdings = new Map<number, BatchHolding>()
      const erased = new Set<string>()
      const faults = new Map<string, number>()
      const { counts } = snapshot
      const total = counts.shared + counts.tenants
      let sets = 0
      for (const name of ["shared", "tenants"] as const) {
        const blame = (fault: string, times = 1): void =>
          void faults.set(`${name}: ${fault}`, (faults.get(`${name}: ${fault}`) ?? 0) + times)
        const keyBytes = name === "shared" ? KEY_BYTES : TENANT_KEY_BYTES
        let last: Uint8Array | null = null
        let seen = 0
        for (const chunk of chunksOf(on, name, snapshot)) {
          for (const { key, value, intact, lost } of chunk) {
            if (lost !== undefined) {
              blame("a part whose identities cannot be read or were lost")
              continue
            }
            seen++
            if (key.length !== keyBytes) blame("a key of another length")
            if (last !== null && Buffer.compare(last, key) >= 0) blame("keys out of order")
            last = key
            if (!intact) {
              blame("a value that does not have its checksum")
            } else if (name === "shared" && isTombstone(value)) {
              erased.add(Buffer.from(key).toString("latin1"))
            } else {
              const owner = name === "shared" ? "shared" : Buffer.from(key).readUInt32BE()
              examineSet(value, owner, catalogue, holdings, blame)
            }
          }
          onProgress(sets + seen, total)
          await pause()
        }
        if (seen < counts[name]) blame("a key that cannot be reached", counts[name] - seen)
        if (seen > counts[name]) blame("more keys than it counts")
        if (name === "shared" && snapshot.strayBuckets > 0) {
          blame("a bucket too many or too few", snapshot.strayBuckets)
        }
        sets += seen
      }
      for (const { intact } of on.meta.range({}, snapshot.at)) {
        if (!intact) faults.set("what the index says of itself does not have its checksum", 1)
      }
      const keyCheckValue = keyCheck === undefined ? null : Buffer.from(keyCheck).toString()
      return { catalogue, keyCheckValue, sets, holdings, erased, faults }
    }),
  )
}

function examineSet(
  value: Uint8Array,
  owner: "shared" | number,
  { batches }: Catalogue,
  holdings: Map<number, BatchHolding>,
  blame: (fault: string) => void,
): void {
  let set: ReturnType<typeof readEntrySet>
  try {
    set = readEntrySet(value)
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error
    blame("a set of entries that cannot be read")
    return
  }
  const named = new Set<number>()
  const holdingOf = (batchId: number): BatchHolding => {
    const holding = holdings.get(batchId) ?? { entries: 0, cut: 0, identities: 0 }
    holdings.set(batchId, holding)
    named.add(batchId)
    return holding
  }
  for (const { batchId } of set.entries) {
    if (batches.get(batchId)?.owner === owner) holdingOf(batchId).entries++
    else blame("an entry of a batch that the catalogue does not have for its owner")
  }
  for (const [batchId, cut] of set.cuts) holdingOf(batchId).cut += cut
  for (const batchId of named) holdingOf(batchId).identities++
  if (set.entries.length === 0) blame("a set of nothing")
}

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
  const probe = (database: CheckedDatabase | Buckets, start: Uint8Array): void => {
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
