import { isUtf8 } from "node:buffer"
import type { Encoding } from "./encoding.ts"

const LF = 10
const CR = 13
const LOOK_BYTES = 65_536

/**
 * The bytes of a text as UTF-8 with lines that end in LF, without the mark at its start. A text
 * that is not UTF-8 stays unchanged: some of its rows may be valid, and they are checked row by
 * row.
 */
export async function* plainText(
  bytes: AsyncIterable<Buffer>,
  encoding: Encoding,
): AsyncGenerator<Buffer> {
  let convert: ((piece: Buffer) => Buffer) | null = null
  let looked: Buffer = Buffer.alloc(0)
  for await (const piece of bytes) {
    if (convert === null) {
      looked = Buffer.concat([looked, piece])
      if (looked.length < LOOK_BYTES) continue
      convert = converterOf(looked, encoding)
      yield convert(looked)
    } else {
      yield convert(piece)
    }
  }
  if (convert === null) yield converterOf(looked, encoding)(looked)
}

/** The same of the first bytes of a text. */
export function plainHead(head: Buffer): Buffer {
  return converterOf(head, "utf-8")(head)
}

/** Makes the pieces of a text that begins with `first` plain, one after the other. */
export function converterOf(first: Buffer, encoding: Encoding): (piece: Buffer) => Buffer {
  const marked = markedEncoding(first)
  if (marked === "utf-16le" || marked === "utf-16be") return decoderOf(marked)
  if (marked === null && encoding !== "utf-8") return decoderOf(encoding)
  const look = first.subarray(0, LOOK_BYTES)
  // Lines that end in CR alone are a sign of one old system, which never writes an LF.
  const bareCr = look.includes(CR) && !look.includes(LF)
  let mark = marked === "utf-8" ? 3 : 0
  return (piece) => {
    const text = piece.subarray(mark)
    mark = 0
    return bareCr ? Buffer.from(text.map((byte) => (byte === CR ? LF : byte))) : text
  }
}

function markedEncoding(first: Buffer): Encoding | null {
  if (first[0] === 0xff && first[1] === 0xfe) return "utf-16le"
  if (first[0] === 0xfe && first[1] === 0xff) return "utf-16be"
  return first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf ? "utf-8" : null
}

function decoderOf(encoding: "utf-16le" | "utf-16be"): (piece: Buffer) => Buffer {
  const decoder = new TextDecoder(encoding)
  return (piece) => Buffer.from(decoder.decode(piece, { stream: true }))
}

/**
 * Reads rows of a block as UTF-8, and a row that is not UTF-8 as Latin-1. NUL bytes are dropped:
 * programs leave them, people do not type them.
 */
export function rowTextOf(block: Buffer): (from: number, to: number) => string {
  const hasNul = block.includes(0)
  const allUtf8 = isUtf8(block)
  return (from, to) => {
    const utf8 = allUtf8 || isUtf8(block.subarray(from, to))
    const text = block.toString(utf8 ? "utf8" : "latin1", from, to)
    return hasNul ? text.replaceAll("\0", "") : text
  }
}
