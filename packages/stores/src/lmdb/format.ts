import { MalformedBytes } from "../bytes.ts"
import { emptyCatalogue } from "../catalogue.ts"
import { INDEX_FORMAT } from "../exposure-index.ts"
import { Buckets } from "./buckets.ts"
import type { BareDatabase, CheckedDatabase, ReadAt } from "./checked-database.ts"
import { putDocument } from "./stored.ts"

/** Stands in the meta database of every format, its number in the first byte. */
export const FORMAT = Buffer.from("format")

/** The last format whose values carry no checksum. */
const UNCHECKED_FORMAT = 2

/**
 * Whether values of a generation carry checksums, by its format; a generation that is just being
 * made has no format yet.
 */
export function valuesAreChecked(meta: BareDatabase): boolean {
  const stored = meta.getBinary(FORMAT)
  return stored?.length !== 1 || (stored[0] as number) > UNCHECKED_FORMAT
}

/** The last format whose shared sets have a value each. */
const UNBUCKETED_FORMAT = 3

/** Whether the shared sets of a generation stand in buckets; those of one just being made do. */
export function setsAreInBuckets(meta: BareDatabase): boolean {
  const stored = meta.getBinary(FORMAT)
  return stored === undefined || (stored[0] as number) > UNBUCKETED_FORMAT
}

/**
 * Inside a write transaction. A generation without checksums stays without: only a copy of it gets
 * them.
 */
export function putFormat(meta: CheckedDatabase): void {
  meta.put(FORMAT, Uint8Array.of(meta.checked ? INDEX_FORMAT : UNCHECKED_FORMAT))
}

/** Inside a write transaction: gives a new index its format, and one of format 1 the next. */
export function prepareFormat({
  meta,
  shared,
  tenants,
}: {
  readonly meta: CheckedDatabase
  readonly shared: CheckedDatabase | Buckets
  readonly tenants: CheckedDatabase
}): void {
  const format = meta.copied(FORMAT)?.[0]
  if (format === undefined) {
    const held = shared instanceof Buckets ? shared.length : shared.count()
    if (held + tenants.count() + meta.count() > 0) {
      throw new MalformedBytes("entries without a format")
    }
    if (shared instanceof Buckets) shared.prepare()
    putDocument(meta, emptyCatalogue)
  }
  // Format 2 adds tombstones and generations; what format 1 holds reads the same.
  if (format === undefined || format === 1) putFormat(meta)
}

export function readFormat({ meta }: { readonly meta: CheckedDatabase }, at?: ReadAt): number {
  const format = meta.copied(FORMAT, at)?.[0]
  if (format === undefined) throw new MalformedBytes("no format")
  return format
}
