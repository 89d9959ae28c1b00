import { EnvelopeFault } from "./envelope-fault.ts"

/** A regular file of an archive. */
export interface TarMember {
  readonly name: string
  readonly bytes: Uint8Array
}

const BLOCK = 512
/** Two blocks of zeros end an archive. */
const END = 2 * BLOCK
const NAME = { at: 0, length: 100 }
const MODE = { at: 100, length: 8 }
const UID = { at: 108, length: 8 }
const GID = { at: 116, length: 8 }
const SIZE = { at: 124, length: 12 }
const MTIME = { at: 136, length: 12 }
const CHECKSUM = { at: 148, length: 8 }
const TYPE = { at: 156, length: 1 }
const LINK = { at: 157, length: 100 }
const MAGIC = { at: 257, length: 8 }
const DEVICE = [
  { at: 329, length: 8 },
  { at: 337, length: 8 },
] as const
const PREFIX = { at: 345, length: 155 }
type Field = typeof NAME

const USTAR = "ustar\u000000"
const REGULAR = "0"

/** Bytes these members take in an archive, its end included. */
export function tarSize(members: readonly TarMember[]): number {
  return members.reduce((sum, { bytes }) => sum + BLOCK + roundUp(bytes.length), END)
}

/**
 * A POSIX ustar archive of exactly `size` bytes, filled up with zeros. No time, owner or mode of
 * anybody is in it: the same members always give the same bytes.
 */
export function writeTar(members: readonly TarMember[], size: number): Uint8Array {
  if (tarSize(members) > size) throw new EnvelopeFault("size")
  const archive = new Uint8Array(size)
  let at = 0
  for (const { name, bytes } of members) {
    writeHeader(archive.subarray(at, at + BLOCK), name, bytes.length)
    archive.set(bytes, at + BLOCK)
    at += BLOCK + roundUp(bytes.length)
  }
  return archive
}

/**
 * The bytes before and after a member of `size` bytes, for an archive that is written piece by
 * piece.
 */
export function tarFrame(name: string, size: number): { header: Uint8Array; padding: Uint8Array } {
  const header = new Uint8Array(BLOCK)
  writeHeader(header, name, size)
  return { header, padding: new Uint8Array(roundUp(size) - size) }
}

/** What ends such an archive. */
export function tarTrailer(): Uint8Array {
  return new Uint8Array(END)
}

function writeHeader(header: Uint8Array, name: string, size: number): void {
  const put = ({ at }: Field, text: string): void => {
    for (let i = 0; i < text.length; i += 1) header[at + i] = text.charCodeAt(i)
  }
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0")
  put(NAME, name)
  put(MODE, octal(0o600, 7))
  put(UID, octal(0, 7))
  put(GID, octal(0, 7))
  put(SIZE, octal(size, 11))
  put(MTIME, octal(0, 11))
  put(TYPE, REGULAR)
  put(MAGIC, USTAR)
  // Of no meaning here, and written by GNU tar: an archive of the same members has the same bytes,
  // whichever program made it.
  for (const field of DEVICE) put(field, octal(0, 7))
  put(CHECKSUM, `${octal(checksum(header), 6)}\u0000 `)
}

/**
 * The members of an archive whose names pass `allowed`. Takes regular files of the ustar format and
 * nothing else; throws for links, devices, directories, pax and GNU members, a name twice, and
 * anything but zeros after the end. Owners, modes and times are not looked at, since nothing here
 * uses them. The bytes are views of the archive.
 */
export function readTar(
  archive: Uint8Array,
  limits: { readonly allowed: RegExp; readonly membersMax: number; readonly bytesMax: number },
): TarMember[] {
  const members: TarMember[] = []
  let at = 0
  for (;;) {
    const header = archive.subarray(at, at + BLOCK)
    if (header.length < BLOCK) throw new EnvelopeFault("archive")
    if (isZero(header)) break
    if (members.length === limits.membersMax) throw new EnvelopeFault("archive")
    const { name, size } = readHeader(header)
    if (!limits.allowed.test(name) || members.some((member) => member.name === name)) {
      throw new EnvelopeFault("archive")
    }
    if (size > limits.bytesMax) throw new EnvelopeFault("size")
    const start = at + BLOCK
    at = start + roundUp(size)
    if (at > archive.length || !isZero(archive.subarray(start + size, at))) {
      throw new EnvelopeFault("archive")
    }
    members.push({ name, bytes: archive.subarray(start, start + size) })
  }
  const rest = archive.subarray(at)
  if (rest.length < END || rest.length % BLOCK !== 0 || !isZero(rest)) {
    throw new EnvelopeFault("archive")
  }
  return members
}

function readHeader(header: Uint8Array): { name: string; size: number } {
  const text = ({ at, length }: Field): string =>
    String.fromCharCode(...header.subarray(at, at + length))
  const octal = (field: Field): number => {
    const digits = /^ *([0-7]+)[ \0]*$/.exec(text(field))?.[1]
    if (digits === undefined) throw new EnvelopeFault("archive")
    return Number.parseInt(digits, 8)
  }
  const regular = text(TYPE) === REGULAR && text(MAGIC) === USTAR
  const plain = /^\0*$/.test(text(LINK)) && /^\0*$/.test(text(PREFIX))
  if (!regular || !plain || octal(CHECKSUM) !== checksum(header)) throw new EnvelopeFault("archive")
  const name = /^([^\0]+)\0*$/.exec(text(NAME))?.[1]
  if (name === undefined) throw new EnvelopeFault("archive")
  return { name, size: octal(SIZE) }
}

/** The sum of a header's bytes, its own field counted as spaces. */
function checksum(header: Uint8Array): number {
  return header.reduce((sum, byte, i) => {
    const own = i >= CHECKSUM.at && i < CHECKSUM.at + CHECKSUM.length
    return sum + (own ? 0x20 : byte)
  }, 0)
}

function isZero(bytes: Uint8Array): boolean {
  // Not every(): an envelope may have 32 MiB of filling, and a call for each byte takes ten times
  // as long.
  for (const byte of bytes) if (byte !== 0) return false
  return true
}

function roundUp(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK
}
