import { joined, latin1, uint } from "./bytes.ts"
import { addTrailing, type PictureCleaner } from "./cleaned-picture.ts"
import { collectFindings } from "./findings.ts"
import { addXmlValues } from "./xml-values.ts"

// GIF89a, sections 17 to 27.
const HEAD_BYTES = 13
const IMAGE = 0x2c
const EXTENSION = 0x21
const TRAILER = 0x3b
const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff
/** How often a moving picture repeats: the two extensions browsers know. */
const REPEATS = /^(?:NETSCAPE2\.0|ANIMEXTS1\.0)$/

/** Keeps pictures, their timing and how often they repeat. */
export const cleanGif: PictureCleaner = (bytes) => {
  const { add, list } = collectFindings()
  let at = HEAD_BYTES + tableBytes(bytes[10])
  const parts = [bytes.subarray(0, at)]
  let pictures = 0
  for (; bytes[at] !== TRAILER;) {
    const [kind, label] = [bytes[at], bytes[at + 1]]
    // Before its blocks, a picture has its position, its colours and one byte; an extension has its
    // label.
    const blocks = kind === IMAGE ? at + 11 + tableBytes(bytes[at + 9]) : at + 2
    const end = endOfBlocks(bytes, blocks)
    if ((kind !== IMAGE && kind !== EXTENSION) || end === null) return null
    if (kind === IMAGE) {
      pictures++
      parts.push(bytes.subarray(at, end))
    } else if (label === GRAPHIC_CONTROL) {
      if (end - at !== 8 || bytes[blocks] !== 4) return null
      parts.push(bytes.subarray(at, end))
    } else if (label === APPLICATION) {
      const name = latin1(bytes, at + 3, Math.min(at + 14, end))
      // Only the block that holds the number of repeats; another may follow it.
      const repeats =
        bytes[blocks] === 11 && REPEATS.test(name) && uint(bytes, at + 14, 2) === 0x0301
      if (repeats) parts.push(joined([bytes.subarray(at, at + 18), Uint8Array.of(0)]))
      if (!repeats) add(/^XMP/.test(name) ? "history" : "technical", name)
      else if (end - at !== 19) add("hidden-data")
      if (/^XMP/.test(name)) addXmlValues(new TextDecoder().decode(bytes.subarray(at, end)), add)
    } else add("comment", latin1(bytes, blocks + 1, Math.min(end - 1, blocks + 500)))
    at = end
  }
  if (pictures === 0) return null
  addTrailing(bytes, at + 1, add)
  return { parts: [...parts, Uint8Array.of(TRAILER)], findings: list() }
}

/** Bytes of a table of colours by the flags that announce it. */
function tableBytes(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** Blocks begin with their length; one of no length ends them. Null: the file ends first. */
function endOfBlocks(bytes: Uint8Array, start: number): number | null {
  let at = start
  for (let length = bytes[at]; length !== undefined; length = bytes[at]) {
    at += length + 1
    if (length === 0) return at
  }
  return null
}
