import { bytesOf, joined, latin1, uint } from "./bytes.ts"
import { addTrailing, cleanProfile, type PictureCleaner } from "./cleaned-picture.ts"
import { big, type StandardProfile } from "./colour-profile.ts"
import { readExif } from "./exif.ts"
import { type AddFinding, collectFindings } from "./findings.ts"
import { inflate } from "./inflate.ts"
import type { MetadataLabel } from "./metadata-report.ts"
import { addXmlValues } from "./xml-values.ts"

const SIGNATURE_BYTES = 8
/** The most bytes each kept chunk can need (PNG, third edition, 11.2 and 11.3). */
const KEPT: Readonly<Record<string, number>> = {
  IHDR: 13,
  PLTE: 768,
  tRNS: 256,
  gAMA: 4,
  sRGB: 1,
  IDAT: 0x7fffffff,
  IEND: 0,
}
/** Keywords that the format itself names, and what programs use most. */
const KEYWORDS: Readonly<Record<string, MetadataLabel>> = {
  Author: "author",
  Copyright: "author",
  Software: "software",
  Title: "title",
  Source: "device",
  "Creation Time": "date",
}

/**
 * The chunks that set the colour space, and the red and green primaries of sRGB, which cHRM holds
 * after its white point.
 */
const COLOURS = /^(?:gAMA|sRGB|iCCP|cHRM)$/
const SRGB_PRIMARIES = [64_000, 33_000, 30_000, 60_000]
/** That the colours are those of sRGB, with its sum. */
const SRGB_CHUNK = "\0\0\0\x01sRGB\0\xae\xce\x1c\xe9"
/** Of a profile: the standard ones are far shorter. */
const PROFILE_MAX = 16_384

/**
 * Keeps the chunks that make the picture, and marks the standard its colours follow. Of an
 * animation only the still picture stays.
 */
export const cleanPng: PictureCleaner = (bytes) => {
  const { add, list } = collectFindings()
  const parts = [bytes.subarray(0, SIGNATURE_BYTES)]
  const colours = new Map<string, Uint8Array>()
  const seen: string[] = []
  let at = SIGNATURE_BYTES
  while (seen.at(-1) !== "IEND") {
    const length = uint(bytes, at, 4)
    const end = at + 12 + length
    if (!(end <= bytes.length)) return null
    const name = latin1(bytes, at + 4, at + 8)
    const content = bytes.subarray(at + 8, at + 8 + length)
    const limit = Object.hasOwn(KEPT, name) ? KEPT[name] : undefined
    if (limit !== undefined) {
      // One of each, except that the picture may be cut into several chunks that follow each other.
      const again = seen.includes(name) && !(name === "IDAT" && seen.at(-1) === "IDAT")
      if (length > limit || again || (name === "IHDR") !== (seen.length === 0)) return null
      seen.push(name)
      if (!COLOURS.test(name)) parts.push(bytes.subarray(at, end))
    }
    if (COLOURS.test(name))
      colours.set(name, limit === undefined ? content : bytes.subarray(at, end))
    // A capital first letter marks a chunk that a decoder needs, and this one is unknown here.
    else if (limit === undefined && !/^[a-z][A-Za-z]{3}$/.test(name)) return null
    else if (limit === undefined) addChunk(name, content, add)
    at = end
  }
  if (!seen.includes("IDAT")) return null
  addTrailing(bytes, at, add)
  // After the signature and the header.
  parts.splice(2, 0, ...colourChunks(colours, add))
  return { parts, findings: list() }
}

/**
 * A profile comes before sRGB, and sRGB before the two that give single numbers (PNG, third
 * edition, 4.3).
 */
function colourChunks(found: ReadonlyMap<string, Uint8Array>, add: AddFinding): Uint8Array[] {
  const [packed, primaries] = [found.get("iCCP"), found.get("cHRM")]
  if (primaries !== undefined) {
    const isUsual = SRGB_PRIMARIES.every(
      (value, n) => Math.abs(value - uint(primaries, 8 + n * 4, 4)) < 20,
    )
    const shows = found.has("gAMA") && !found.has("sRGB") && packed === undefined && !isUsual
    // Eight numbers have room for anything.
    add(shows ? "colour-profile" : "technical", shows ? "" : "cHRM")
  }
  const profile = packed === undefined ? null : cleanProfile(unpackedProfile(packed), add)
  if (profile === null)
    return [...found].flatMap(([name, content]) => (Object.hasOwn(KEPT, name) ? [content] : []))
  return [profile.bytes.length === 0 ? bytesOf(SRGB_CHUNK) : profileChunk(profile)]
}

/** A name, a zero, the method and the two bytes that zlib begins with stand before it. */
function unpackedProfile(content: Uint8Array): Uint8Array {
  return inflate(content.subarray(content.indexOf(0) + 4), PROFILE_MAX) ?? new Uint8Array()
}

/** The profile under a name, in the format of zlib, not packed (RFC 1950 and 1951). */
function profileChunk({ bytes, sums: [adler = 0, crc = 0] }: StandardProfile): Uint8Array {
  const { length } = bytes
  return joined([
    ...[big(length + 16), bytesOf("iCCPICC\0\0\x78\x01\x01")],
    ...[Uint8Array.of(length, length >> 8, ~length, ~length >> 8), bytes, big(adler, crc)],
  ])
}

function addChunk(name: string, content: Uint8Array, add: AddFinding): void {
  if (name === "eXIf") readExif(content, add)
  else if (name === "tIME") add("date", [uint(content, 0, 2), content[2], content[3]].join("-"))
  else if (name === "acTL" || name === "fcTL" || name === "fdAT") add("pictures")
  else if (/^[tiz](?:TXt|EXt)$/.test(name)) addText(name, content, add)
  else add("technical", name)
}

function addText(name: string, content: Uint8Array, add: AddFinding): void {
  const [keyword = "", ...rest] = new TextDecoder().decode(content).split("\0")
  // iTXt: two bytes of compression, the second of which may be zero, a language and a translated
  // keyword come first.
  const compressed = name === "zTXt" || (name === "iTXt" && content[keyword.length + 1] === 1)
  const text = compressed ? "" : (rest.at(-1) ?? "")
  const label = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined
  if (keyword === "XML:com.adobe.xmp") {
    add("history", "XMP")
    addXmlValues(text, add)
  } else if (label === undefined) add("comment", `${keyword}: ${text}`)
  else add(label, text)
}
