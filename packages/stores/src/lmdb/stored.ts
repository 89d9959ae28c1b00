import { Cursor, MalformedBytes } from "../bytes.ts"
import { catalogueBytes, type CatalogueDocument, readCatalogue } from "../catalogue.ts"
import { type Layout, layoutBytes, readLayout, spellsLayout } from "./bucket-layout.ts"
import type { CheckedDatabase, ReadAt } from "./checked-database.ts"

/** The names in the meta database, beside the format. */
const CATALOGUE = Buffer.from("catalogue")
const CATALOGUE_VERSION = Buffer.from("catalogue-version")
export const KEY_CHECK = Buffer.from("key-check")

/**
 * A later generation has taken this one's place. The connection opens that one and repeats the read
 * or write.
 */
export class Superseded extends Error {
  override readonly name = "Superseded"
}

/**
 * Stands where the version of the catalogue did, which every lookup reads: no version is spelled
 * like it.
 */
const SUPERSEDED = Buffer.alloc(8, 0xff)

/**
 * Inside a write transaction: everything is in the generation of this number from the commit on.
 */
export function markSuperseded(meta: CheckedDatabase, by: number): void {
  const number = Buffer.alloc(4)
  number.writeUInt32BE(by)
  meta.put(CATALOGUE_VERSION, Buffer.concat([SUPERSEDED, number]))
}

/** The number of the generation that took this one's place, or null while none has. */
export function supersededBy(meta: CheckedDatabase, at?: ReadAt): number | null {
  const stored = meta.lent(CATALOGUE_VERSION, at)
  if (stored === undefined || !isMark(stored)) return null
  return new Cursor(stored, SUPERSEDED.length, stored.length).bigEndian(4)
}

function isMark(stored: Uint8Array): boolean {
  return stored.length > SUPERSEDED.length && stored[0] === 0xff
}

const VERSION_BYTES = 8

/** The catalogue with where the buckets are at the same moment; null: there are none. */
export interface StoredDocument extends CatalogueDocument {
  readonly layout: Layout | null
}

/**
 * The catalogue; returns `held` if it is still current. The layout of the buckets stands behind the
 * version: every look-up needs both. Throws Superseded.
 */
export function readDocument(
  meta: CheckedDatabase,
  held: StoredDocument | null,
  at?: ReadAt,
): StoredDocument {
  const stored = meta.lent(CATALOGUE_VERSION, at)
  if (stored === undefined) throw new MalformedBytes("no catalogue version")
  const version = new Cursor(stored).bigEndian(VERSION_BYTES)
  if (held !== null && version === held.version) {
    if (held.layout === null ? stored.length === VERSION_BYTES : isLayoutOf(stored, held.layout)) {
      return held
    }
    return withLayout(held, layoutIn(stored))
  }
  if (isMark(stored)) throw new Superseded()
  const layout = layoutIn(stored)
  const bytes = meta.lent(CATALOGUE, at)
  if (bytes === undefined) throw new MalformedBytes("no catalogue")
  const document = readCatalogue(bytes.subarray(0, bytes.length))
  if (document.version !== version) throw new MalformedBytes("catalogue of another version")
  return withLayout(document, layout)
}

/** Not enumerable: whoever gets or compares a catalogue is not concerned with it. */
export function withLayout(document: CatalogueDocument, layout: Layout | null): StoredDocument {
  return Object.defineProperty({ ...document }, "layout", { value: layout }) as StoredDocument
}

function isLayoutOf(stored: Uint8Array, layout: Layout): boolean {
  return spellsLayout(stored, VERSION_BYTES, layout)
}

function layoutIn(stored: Uint8Array): Layout | null {
  return stored.length === VERSION_BYTES ? null : readLayout(stored, VERSION_BYTES)
}

/** Inside a write transaction. The layout stays. */
export function putDocument(meta: CheckedDatabase, document: CatalogueDocument): void {
  const layout = readLayoutOf(meta)
  meta.put(CATALOGUE, catalogueBytes(document))
  putVersion(meta, document.version, layout)
}

/** The layout of the buckets, or null where none is kept yet. */
export function readLayoutOf(meta: CheckedDatabase, at?: ReadAt): Layout | null {
  const stored = meta.lent(CATALOGUE_VERSION, at)
  return stored === undefined || isMark(stored) ? null : layoutIn(stored)
}

/** Inside a write transaction. */
export function putLayout(meta: CheckedDatabase, layout: Layout): void {
  const stored = meta.lent(CATALOGUE_VERSION)
  const version = stored === undefined ? 0 : new Cursor(stored).bigEndian(VERSION_BYTES)
  putVersion(meta, version, layout)
}

function putVersion(meta: CheckedDatabase, version: number, layout: Layout | null): void {
  const bytes = Buffer.alloc(VERSION_BYTES)
  bytes.writeBigUInt64BE(BigInt(version))
  meta.put(CATALOGUE_VERSION, layout === null ? bytes : Buffer.concat([bytes, layoutBytes(layout)]))
}
