import { Cursor, MalformedBytes } from "../bytes.ts"
import { catalogueBytes, type CatalogueDocument, readCatalogue } from "../catalogue.ts"
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

/** The catalogue; returns `held` if it is still current. Throws Superseded. */
export function readDocument(
  meta: CheckedDatabase,
  held: CatalogueDocument | null,
  at?: ReadAt,
): CatalogueDocument {
  const stored = meta.lent(CATALOGUE_VERSION, at)
  if (stored === undefined) throw new MalformedBytes("no catalogue version")
  const version = new Cursor(stored).bigEndian(8)
  if (held !== null && version === held.version) return held
  if (isMark(stored)) throw new Superseded()
  const bytes = meta.lent(CATALOGUE, at)
  if (bytes === undefined) throw new MalformedBytes("no catalogue")
  const document = readCatalogue(bytes.subarray(0, bytes.length))
  if (document.version !== version) throw new MalformedBytes("catalogue of another version")
  return document
}

/** Inside a write transaction. */
export function putDocument(meta: CheckedDatabase, document: CatalogueDocument): void {
  const version = Buffer.alloc(8)
  version.writeBigUInt64BE(BigInt(document.version))
  meta.put(CATALOGUE, catalogueBytes(document))
  meta.put(CATALOGUE_VERSION, version)
}
