import { InputError } from "./member.ts"

/** How a file is packed, where that can be read here. */
export type Packing = "zip" | "gzip" | "zstd"

/** A packing that is not read here, and how to undo it before importing. */
export interface ForeignPacking {
  readonly title: string
  readonly command: string
}

/** The place of the mark of a tar header; all others stand at the start. */
const TAR_MARK_AT = 257
/** Enough of a file to see how it is packed. */
export const PACKING_HEAD_BYTES = 512

const READ_HERE: readonly { readonly mark: string; readonly packing: Packing }[] = [
  { mark: "PK\x03\x04", packing: "zip" },
  // An archive of no members has nothing but its end.
  { mark: "PK\x05\x06", packing: "zip" },
  { mark: "\x1f\x8b", packing: "gzip" },
  { mark: "\x28\xb5\x2f\xfd", packing: "zstd" },
]

const FOREIGN: readonly (ForeignPacking & { readonly mark: string; readonly at: number })[] = [
  { mark: "Rar!\x1a\x07", at: 0, title: "RAR archive", command: "unrar x" },
  { mark: "7z\xbc\xaf\x27\x1c", at: 0, title: "7z archive", command: "7z x" },
  { mark: "\xfd7zXZ\x00", at: 0, title: "xz file", command: "xz -dk" },
  { mark: "ustar", at: TAR_MARK_AT, title: "tar archive", command: "tar -xf" },
  { mark: "PK\x07\x08", at: 0, title: "zip archive in several parts", command: "7z x" },
]
// Three letters and a digit could begin a line of text; with the mark of the first block they
// cannot.
const BZIP2 = /^BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)/

/**
 * How a file is packed, by its first bytes: a name proves nothing. Null for a file that is not
 * packed.
 */
export function packingOf(head: Buffer): Packing | ForeignPacking | null {
  const text = head.toString("latin1", 0, PACKING_HEAD_BYTES)
  const read = READ_HERE.find(({ mark }) => text.startsWith(mark))
  if (read !== undefined) return read.packing
  if (BZIP2.test(text)) return { title: "bzip2 file", command: "bunzip2 -k" }
  const foreign = FOREIGN.find(({ mark, at }) => text.startsWith(mark, at))
  return foreign === undefined ? null : { title: foreign.title, command: foreign.command }
}

/**
 * How many times larger than it was packed anything may become. Text packs to a tenth, not to a
 * two-hundredth.
 */
const EXPANSION_MAX = 200
/**
 * Any file may unpack to this much, however small it is: a short file of equal lines packs very
 * well.
 */
const FLOOR_BYTES = 1 << 20

/** Throws where more came out of packed bytes than files that people hold ever give. */
export function requireExpansion(name: string, packedBytes: number, bytes: number): void {
  if (bytes > Math.max(FLOOR_BYTES, packedBytes * EXPANSION_MAX)) {
    throw new InputError(`${name} unpacks to more than ${EXPANSION_MAX} times its size`)
  }
}
