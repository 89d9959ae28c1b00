import { crc32 } from "node:zlib"
import {
  type Entry,
  fromBufferPromise,
  getFileNameLowLevel,
  openPromise,
  validateFileName,
  type ZipFile,
} from "yauzl"
import { requireExpansion } from "./packing.ts"
import { InputError } from "./member.ts"
import type { SkipReason } from "./skipped.ts"

/** A zip archive with the list of its files, open. */
export interface Zip {
  readonly entries: readonly ZipEntry[]
  /** Unpacked bytes of a file. Throws InputError for damaged or cut bytes. */
  bytes(entry: ZipEntry): AsyncGenerator<Buffer>
  close(): void
}

export interface ZipEntry {
  readonly name: string
  readonly packedBytes: number
  readonly modifiedMs: number
  /** Why the file cannot be taken; null if it can. */
  readonly refused: SkipReason | null
  readonly entry: Entry
}

const STORED = 0
const DEFLATED = 8
// Names are checked one by one here; the library would refuse the whole archive for one of them.
const OPTIONS = { autoClose: false, decodeStrings: false }

/**
 * Opens an archive on the disk or in memory. Throws InputError where it is damaged or has more than
 * `filesMax` files.
 */
export async function openZip(name: string, from: string | Buffer, filesMax: number): Promise<Zip> {
  let zip: ZipFile | null = null
  try {
    zip =
      typeof from === "string"
        ? await openPromise(from, OPTIONS)
        : await fromBufferPromise(from, OPTIONS)
    return zipOf(name, zip, await entriesOf(name, zip, filesMax))
  } catch (error) {
    zip?.close()
    if (error instanceof InputError) throw error
    throw new InputError(`${name} is a damaged or cut off zip archive`)
  }
}

/** No archive of this many files is imported. */
export function tooManyMembers(name: string): InputError {
  return new InputError(`${name} brings the import above 10,000 files in archives`)
}

async function entriesOf(name: string, zip: ZipFile, filesMax: number): Promise<ZipEntry[]> {
  if (zip.entryCount > ENTRIES_MAX) throw tooManyMembers(name)
  const entries: ZipEntry[] = []
  for await (const entry of zip.eachEntry()) {
    const path = getFileNameLowLevel(
      entry.generalPurposeBitFlag,
      entry.fileNameRaw,
      entry.extraFields,
      false,
    )
    if (path.endsWith("/")) continue
    entries.push({
      name: path,
      packedBytes: entry.compressedSize,
      // Most archives have local time and do not name the zone; as UTC it is the same everywhere.
      modifiedMs: entry.getLastModDate({ timezone: "UTC" }).getTime(),
      refused: refusalOf(entry, path),
      entry,
    })
    if (entries.length > filesMax) throw tooManyMembers(name)
  }
  return entries
}

/** Folders are entries too, so there may be more of these than files; but not without end. */
const ENTRIES_MAX = 100_000

function refusalOf(entry: Entry, path: string): SkipReason | null {
  if (validateFileName(path) !== null || path.includes("\0")) return "unsafe-name"
  if (entry.isEncrypted()) return "encrypted"
  const method = entry.compressionMethod
  return method === STORED || method === DEFLATED ? null : "unknown-method"
}

function zipOf(name: string, zip: ZipFile, entries: readonly ZipEntry[]): Zip {
  return {
    entries,
    async *bytes({ name: path, packedBytes, entry }) {
      let bytes = 0
      let sum = 0
      try {
        const stream = await zip.openReadStreamPromise(entry)
        for await (const piece of stream as AsyncIterable<Buffer>) {
          bytes += piece.length
          requireExpansion(`${name}/${path}`, packedBytes, bytes)
          sum = crc32(piece, sum)
          yield piece
        }
      } catch (error) {
        if (error instanceof InputError) throw error
        throw new InputError(`${name} is damaged or cut off at ${path}`)
      }
      // The library compares lengths, not contents.
      if (sum !== entry.crc32) throw new InputError(`${name} is damaged at ${path}`)
    },
    close: () => zip.close(),
  }
}

/**
 * Keeps the archive that was read last at each level, since its members are requested one after the
 * other: an archive inside another would be unpacked for each of them. One per level, because each
 * may fill its bound of memory.
 */
export class OpenZips {
  readonly #byLevel = new Map<number, { readonly owner: object; readonly zip: Zip }>()

  /** The archive of this owner, opened again if another was read since. */
  async get(level: number, owner: object, open: () => Promise<Zip>): Promise<Zip> {
    const held = this.#byLevel.get(level)
    if (held?.owner === owner) return held.zip
    // Let go first: two archives at their bound are twice the memory.
    this.#byLevel.delete(level)
    held?.zip.close()
    const zip = await open()
    this.#byLevel.get(level)?.zip.close()
    this.#byLevel.set(level, { owner, zip })
    return zip
  }

  close(): void {
    for (const { zip } of this.#byLevel.values()) zip.close()
    this.#byLevel.clear()
  }
}
