import { isAscii, isUtf8 } from "node:buffer"

/**
 * How the text of a member is written. Lines that are not UTF-8 are read as Latin-1, each for
 * itself.
 */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be"

const SAMPLE_BYTES = 4096
const LF = 10
const CR = 13
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf])

// Latin-1 as the Encoding Standard defines it: with the letters and signs that Windows has in place
// of the control characters of ISO 8859-1, which nobody types.
const latin1 = new TextDecoder("windows-1252")

/**
 * By its byte order mark, or by every other byte being zero, as in UTF-16 of mostly Latin letters.
 */
export function encodingOf(head: Buffer): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le"
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be"
  // A file that begins with two bytes other than zero, as most binary files do, begins with no
  // Latin letter in UTF-16.
  if (head[0] !== 0 && head[1] !== 0) return "utf-8"
  const pairs = Math.min(head.length, SAMPLE_BYTES) >> 1
  let firstZero = 0
  let secondZero = 0
  for (let pair = 0; pair < pairs; pair++) {
    if (head[2 * pair] === 0) firstZero++
    if (head[2 * pair + 1] === 0) secondZero++
  }
  if (mostly(secondZero, pairs) && hardly(firstZero, pairs)) return "utf-16le"
  if (mostly(firstZero, pairs) && hardly(secondZero, pairs)) return "utf-16be"
  return "utf-8"
}

/**
 * The bytes of a text without byte order mark and NUL, UTF-16 converted to UTF-8. Programs that
 * write fields of a fixed length leave NULs; none is part of an address or a password, so they are
 * removed before anything is measured.
 */
export async function* textBytes(
  bytes: AsyncIterable<Buffer>,
  encoding: Encoding,
): AsyncGenerator<Buffer> {
  const pieces = encoding === "utf-8" ? withoutMark(bytes) : utf8From(bytes, encoding)
  for await (const piece of pieces) {
    const text = withoutNul(piece)
    if (text.length > 0) yield text
  }
}

/** The same for the head of a member; what its end breaks off of a character is left out. */
export function textHead(head: Buffer, encoding: Encoding): Buffer {
  if (encoding !== "utf-8") {
    return withoutNul(Buffer.from(new TextDecoder(encoding).decode(head, { stream: true })))
  }
  return withoutNul(head.subarray(startsWithMark(head) ? UTF8_MARK.length : 0))
}

/** The text of a block that ends where a line ends. */
export function blockText(block: Buffer): string {
  if (isAscii(block)) return block.toString("latin1")
  if (isUtf8(block)) return block.toString("utf8")
  let text = ""
  for (let at = 0; at < block.length;) {
    const end = lineEnd(block, at)
    text += lineText(block.subarray(at, end))
    at = end
  }
  return text
}

function lineText(line: Buffer): string {
  return isUtf8(line) ? line.toString("utf8") : latin1.decode(line)
}

/** The position after the line that begins at `at`, its end included. */
function lineEnd(block: Buffer, at: number): number {
  for (let end = at; end < block.length; end++) {
    if (block[end] === LF || block[end] === CR) return end + 1
  }
  return block.length
}

function withoutNul(piece: Buffer): Buffer {
  return piece.includes(0) ? (piece.filter((byte) => byte !== 0) as Buffer) : piece
}

async function* withoutMark(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0)
  for await (const piece of bytes) {
    if (head === null) {
      yield piece
      continue
    }
    head = head.length === 0 ? piece : Buffer.concat([head, piece])
    if (head.length < UTF8_MARK.length) continue
    yield head.subarray(startsWithMark(head) ? UTF8_MARK.length : 0)
    head = null
  }
  if (head !== null && head.length > 0) yield head
}

function startsWithMark(head: Buffer): boolean {
  return head.subarray(0, UTF8_MARK.length).equals(UTF8_MARK)
}

/**
 * Keeps what a piece breaks off of a character for the next one, and takes the byte order mark off.
 */
async function* utf8From(
  bytes: AsyncIterable<Buffer>,
  encoding: "utf-16le" | "utf-16be",
): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding)
  for await (const piece of bytes) yield Buffer.from(decoder.decode(piece, { stream: true }))
  yield Buffer.from(decoder.decode())
}

function mostly(zeros: number, pairs: number): boolean {
  return pairs >= 4 && zeros * 4 >= pairs * 3
}

function hardly(zeros: number, pairs: number): boolean {
  return zeros * 20 <= pairs
}
