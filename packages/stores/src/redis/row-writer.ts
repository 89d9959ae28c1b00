import type { CatalogueDocument, Owner } from "../catalogue.ts"
import { type Entry, entryBytes } from "../entry.ts"
import { isTombstone } from "../entry-set.ts"
import { EMPTY_SET_BYTES } from "../entry-spans.ts"
import type { Row } from "../exposure-index.ts"
import type { Join } from "../index-storage.ts"
import { entriesMax, statesIn } from "../stored-set.ts"
import type { Buckets, Value } from "./buckets.ts"
import { IN_FLIGHT, inFlight } from "./in-flight.ts"
import type { Layout } from "./layout.ts"

/** The entries of the rows about one identity, row by row. */
interface RowsOfIdentity {
  readonly key: Uint8Array
  entries: (readonly Entry[])[]
}

export interface RowWriter {
  /**
   * Replaces the stored set of each row's identity by the result of `join`, a whole bucket at once.
   * An erased subject stays erased.
   */
  put(rows: readonly Row[], owner: Owner, document: CatalogueDocument, join: Join): Promise<void>
  /** The same for one identity, whose entries are asked for each time its set was read. */
  putAsked(
    key: Uint8Array,
    entriesNow: () => Promise<readonly Entry[]>,
    owner: Owner,
    document: CatalogueDocument,
    join: Join,
  ): Promise<void>
}

export function rowWriter(layout: Layout, buckets: Buckets): RowWriter {
  const changeBucket = async (
    bucket: number,
    identities: readonly RowsOfIdentity[],
    owner: Owner,
    joined: (stored: Value, entries: readonly Entry[]) => Uint8Array,
    onRead?: () => Promise<void>,
  ): Promise<void> => {
    const shared = identities.map(({ key }) => layout.sharedField(key))
    // A tenant's evidence is refused if the shared field marks the subject as erased, so that field
    // is read too, and left unchanged.
    const own =
      owner === "shared" ? [] : identities.map(({ key }) => layout.tenantField(owner, key))
    const restates = onRead !== undefined
    const decide = async (values: readonly Value[]): Promise<readonly Value[]> => {
      await onRead?.()
      const kept = values.slice(0, own.length)
      const before = values.slice(own.length)
      const after = identities.map((identity, i): Value => {
        if (isTombstone(values[i])) return before[i]
        let value = before[i]
        for (const entries of identity.entries) {
          const set = joined(value, entries)
          value = set.length === EMPTY_SET_BYTES ? undefined : set
        }
        return value
      })
      return after.every((value, i) => isSame(before[i], value)) ? [] : [...kept, ...after]
    }
    await buckets.change(bucket, [...shared, ...own], decide, { restates })
  }

  return {
    async put(rows, owner, document, join) {
      const max = entriesMax(owner)
      const stateOf = statesIn(document)
      const joined = (stored: Value, entries: readonly Entry[]): Uint8Array =>
        join(stored, entries, max, stateOf)
      await inFlight(byBucket(rows, layout), IN_FLIGHT, ([bucket, identities]) =>
        changeBucket(bucket, identities, owner, joined),
      )
    },

    async putAsked(key, entriesNow, owner, document, join) {
      const max = entriesMax(owner)
      const stateOf = statesIn(document)
      const identity: RowsOfIdentity = { key, entries: [] }
      await changeBucket(
        layout.bucketOf(key),
        [identity],
        owner,
        (stored, entries) => join(stored, entries, max, stateOf),
        async () => {
          const entries = await entriesNow()
          requireSpellable([{ key, entries }])
          identity.entries = [entries]
        },
      )
    },
  }
}

/** Throws RangeError for entries that have no stored form, before anything is written. */
export function requireSpellable(rows: readonly Row[]): void {
  for (const { entries } of rows) for (const entry of entries) entryBytes(entry)
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
