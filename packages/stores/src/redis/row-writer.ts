import type { Batch, Catalogue, CatalogueDocument, Owner } from "../catalogue.ts"
import { entryBytes, type Entry } from "../entry.ts"
import {
  isTombstone,
  readEntrySet,
  SHARED_ENTRIES_MAX,
  TENANT_ENTRIES_MAX,
  type mergedEntrySet,
} from "../entry-set.ts"
import type { Row } from "../exposure-index.ts"
import type { Buckets, Value } from "./buckets.ts"
import { IN_FLIGHT, inFlight } from "./in-flight.ts"
import type { Layout } from "./layout.ts"

/** Makes what is stored of what was and a row's entries. */
export type Join = typeof mergedEntrySet

/** An entry set of nothing at all; not worth a field. */
const EMPTY_SET_BYTES = 1

/** What rows say of one identity, row by row. */
export interface RowsOfIdentity {
  readonly key: Uint8Array
  readonly entries: (readonly Entry[])[]
}

/**
 * An entry names a batch that the catalogue at hand lacks: it is newer, or the entry is damaged.
 */
export class UnknownBatch extends Error {
  override readonly name = "UnknownBatch"
}

export interface RowWriter {
  /**
   * Makes of what is stored of each row's identity what `join` says, all of a bucket at once.
   * Returns the sum of what `countOf` makes of what was stored before and of the rows. A subject
   * that was erased stays so.
   */
  put(
    rows: readonly Row[],
    owner: Owner,
    document: CatalogueDocument,
    join: Join,
    countOf?: (stored: Value, identity: RowsOfIdentity) => number,
  ): Promise<number>
}

export function rowWriter(layout: Layout, buckets: Buckets): RowWriter {
  const changeBucket = async (
    bucket: number,
    identities: readonly RowsOfIdentity[],
    owner: Owner,
    joined: (stored: Value, entries: readonly Entry[]) => Uint8Array,
    countOf: (stored: Value, identity: RowsOfIdentity) => number,
  ): Promise<number> => {
    const shared = identities.map(({ key }) => layout.sharedField(key))
    // What a tenant sends depends on whether everyone's field says that the subject was erased, so
    // that is read too, and left as it is.
    const own =
      owner === "shared" ? [] : identities.map(({ key }) => layout.tenantField(owner, key))
    let counted = 0
    await buckets.change(bucket, [...shared, ...own], (values) => {
      counted = 0
      const kept = values.slice(0, own.length)
      const before = values.slice(own.length)
      const after = identities.map((identity, i): Value => {
        if (isTombstone(values[i])) return before[i]
        counted += countOf(before[i], identity)
        let value = before[i]
        for (const entries of identity.entries) {
          const set = joined(value, entries)
          value = set.length === EMPTY_SET_BYTES ? undefined : set
        }
        return value
      })
      return after.every((value, i) => isSame(before[i], value)) ? [] : [...kept, ...after]
    })
    return counted
  }

  return {
    async put(rows, owner, document, join, countOf = () => 0) {
      const max = owner === "shared" ? SHARED_ENTRIES_MAX : TENANT_ENTRIES_MAX
      const stateOf = (batchId: number): Batch["state"] => {
        const batch = document.batches.get(batchId)
        if (batch === undefined) throw new UnknownBatch("entry of an unknown batch")
        return batch.state
      }
      const joined = (stored: Value, entries: readonly Entry[]): Uint8Array =>
        join(stored, entries, max, stateOf)
      let total = 0
      await inFlight(byBucket(rows, layout), IN_FLIGHT, async ([bucket, identities]) => {
        const counted = await changeBucket(bucket, identities, owner, joined, countOf)
        total += counted
      })
      return total
    },
  }
}

/** How many of the entries another live batch of the same source has too. */
export function countKnown(
  stored: Value,
  entries: readonly Entry[],
  { batches }: Catalogue,
  sourceId: number,
): number {
  if (stored === undefined) return 0
  const held = new Set<string>()
  for (const entry of readEntrySet(stored).entries) {
    const batch = batches.get(entry.batchId)
    if (batch?.sourceId === sourceId && batch.state === "live") held.add(said(entry))
  }
  return held.size === 0 ? 0 : entries.filter((entry) => held.has(said(entry))).length
}

/** What an entry says, whichever batch says it. */
function said(entry: Entry): string {
  return Buffer.from(entryBytes({ ...entry, batchId: 1 })).toString("latin1")
}

/** The rows by bucket, and there by identity: one identity may have several. */
function byBucket(rows: readonly Row[], layout: Layout): Map<number, RowsOfIdentity[]> {
  const buckets = new Map<number, RowsOfIdentity[]>()
  const identities = new Map<string, RowsOfIdentity>()
  for (const { key, entries } of rows) {
    const spelling = Buffer.from(key).toString("latin1")
    const known = identities.get(spelling)
    if (known !== undefined) {
      known.entries.push(entries)
      continue
    }
    const identity = { key, entries: [entries] }
    identities.set(spelling, identity)
    const bucket = layout.bucketOf(key)
    const others = buckets.get(bucket)
    if (others === undefined) buckets.set(bucket, [identity])
    else others.push(identity)
  }
  return buckets
}

function isSame(a: Value, b: Value): boolean {
  return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0
}
