import { Cursor, MalformedBytes } from "../bytes.ts"
import { catalogueBytes, type CatalogueDocument, readCatalogue } from "../catalogue.ts"
import { INDEX_FORMAT, NewerIndexFormat } from "../exposure-index.ts"
import type { BinaryDatabase } from "./environment.ts"

/** What stands in the meta database, each under its name. */
export const FORMAT = Buffer.from("format")
export const CATALOGUE = Buffer.from("catalogue")
export const CATALOGUE_VERSION = Buffer.from("catalogue-version")
export const KEY_CHECK = Buffer.from("key-check")

type Transaction = ReturnType<BinaryDatabase["useReadTransaction"]>
export interface ReadAt {
  readonly transaction: Transaction
}

/** lmdb's own typings leave out that this method takes a transaction, as `get` does. */
type LendingDatabase = BinaryDatabase & {
  getBinaryFast(key: Uint8Array, at?: ReadAt): Uint8Array | undefined
  getBinary(key: Uint8Array, at?: ReadAt): Uint8Array | undefined
}

/** The stored bytes, good until the next read: their memory is used again. Only `length` bounds them. */
export function lent(
  database: BinaryDatabase,
  key: Uint8Array,
  at?: ReadAt,
): Uint8Array | undefined {
  return (database as LendingDatabase).getBinaryFast(key, at)
}

export function copied(
  database: BinaryDatabase,
  key: Uint8Array,
  at?: ReadAt,
): Uint8Array | undefined {
  return (database as LendingDatabase).getBinary(key, at)
}

type PutSync = (key: Uint8Array, value: Uint8Array, options?: { append: boolean }) => void
const APPEND = { append: true }

/** Inside a write transaction, where the write happens at once and what it returns says nothing. */
export function put(
  database: BinaryDatabase,
  key: Uint8Array,
  value: Uint8Array,
  append = false,
): void {
  ;(database.putSync as PutSync).call(database, key, value, append ? APPEND : undefined)
}

export function readFormat(meta: BinaryDatabase, at: ReadAt): number {
  const stored = lent(meta, FORMAT, at)
  if (stored === undefined) throw new MalformedBytes("no format")
  return new Cursor(stored).byte()
}

export function requireKnownFormat(format: number): void {
  if (format > INDEX_FORMAT) {
    throw new NewerIndexFormat(
      `The index has format ${format}; this program knows formats up to ${INDEX_FORMAT}`,
    )
  }
  if (format < 1) throw new MalformedBytes("format 0")
}

/** A later generation has taken this one's place: whoever reads this opens the index anew and repeats what it did. */
export class Superseded extends Error {
  override readonly name = "Superseded"
}

/** Stands where the version of the catalogue did, which every lookup reads: no version is spelled like it. */
const SUPERSEDED = Buffer.alloc(8, 0xff)

/** Inside a write transaction: everything is in the generation of this number from the commit on. */
export function markSuperseded(meta: BinaryDatabase, by: number): void {
  const number = Buffer.alloc(4)
  number.writeUInt32BE(by)
  put(meta, CATALOGUE_VERSION, Buffer.concat([SUPERSEDED, number]))
}

/** The number of the generation that took this one's place, or null while none has. */
export function supersededBy(meta: BinaryDatabase, at?: ReadAt): number | null {
  const stored = lent(meta, CATALOGUE_VERSION, at)
  if (stored === undefined || !isMark(stored)) return null
  return new Cursor(stored, SUPERSEDED.length, stored.length).bigEndian(4)
}

function isMark(stored: Uint8Array): boolean {
  return stored.length > SUPERSEDED.length && stored[0] === 0xff
}

/** The catalogue; `held` again where it is still the one. Throws Superseded. */
export function readDocument(
  meta: BinaryDatabase,
  held: CatalogueDocument | null,
  at?: ReadAt,
): CatalogueDocument {
  const stored = lent(meta, CATALOGUE_VERSION, at)
  if (stored === undefined) throw new MalformedBytes("no catalogue version")
  const version = new Cursor(stored).bigEndian(8)
  if (held !== null && version === held.version) return held
  if (isMark(stored)) throw new Superseded()
  const bytes = lent(meta, CATALOGUE, at)
  if (bytes === undefined) throw new MalformedBytes("no catalogue")
  const document = readCatalogue(bytes.subarray(0, bytes.length))
  if (document.version !== version) throw new MalformedBytes("catalogue of another version")
  return document
}

/** Inside a write transaction. */
export function putDocument(meta: BinaryDatabase, document: CatalogueDocument): void {
  const version = Buffer.alloc(8)
  version.writeBigUInt64BE(BigInt(document.version))
  put(meta, CATALOGUE, catalogueBytes(document))
  put(meta, CATALOGUE_VERSION, version)
}

export function entryCount(database: BinaryDatabase): number {
  return (database.getStats() as { entryCount: number }).entryCount
}

/** The highest key of a database. */
export function lastKey(database: BinaryDatabase): Uint8Array | undefined {
  return [...database.getKeys({ reverse: true, limit: 1 })][0]
}
