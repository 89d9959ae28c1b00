import { latin1, uint } from "./bytes.ts"
import { addTrailing, type PictureCleaner } from "./cleaned-picture.ts"
import { readExif } from "./exif.ts"
import { type AddFinding, collectFindings } from "./findings.ts"
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

/** Keeps the chunks that make the picture. Of a moving one the still picture is left. */
export const cleanPng: PictureCleaner = (bytes) => {
  const { add, list } = collectFindings()
  const parts = [bytes.subarray(0, SIGNATURE_BYTES)]
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
      parts.push(bytes.subarray(at, end))
      seen.push(name)
    }
    // A capital first letter says that a decoder cannot do without: what that is, is not known here.
    else if (!/^[a-z][A-Za-z]{3}$/.test(name)) return null
    else addChunk(name, content, add)
    at = end
  }
  if (!seen.includes("IDAT")) return null
  addTrailing(bytes, at, add)
  return { parts, findings: list() }
}

function addChunk(name: string, content: Uint8Array, add: AddFinding): void {
  if (name === "eXIf") readExif(content, add)
  else if (name === "tIME") add("date", [uint(content, 0, 2), content[2], content[3]].join("-"))
  else if (name === "iCCP") add("colour-profile")
  else if (name === "acTL" || name === "fcTL" || name === "fdAT") add("pictures")
  else if (/^[tiz](?:TXt|EXt)$/.test(name)) addText(name, content, add)
  else add("technical", name)
}

function addText(name: string, content: Uint8Array, add: AddFinding): void {
  const [keyword = "", ...rest] = new TextDecoder().decode(content).split("\0")
  // iTXt: two bytes of compression, the second of which may be zero, a language and a translated keyword come first.
  const compressed = name === "zTXt" || (name === "iTXt" && content[keyword.length + 1] === 1)
  const text = compressed ? "" : (rest.at(-1) ?? "")
  const label = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined
  if (keyword === "XML:com.adobe.xmp") {
    add("history", "XMP")
    addXmlValues(text, add)
  } else if (label === undefined) add("comment", `${keyword}: ${text}`)
  else add(label, text)
}
