import { latin1, startsWith, uint } from "./bytes.ts"
import { readExif } from "./exif.ts"
import type { AddFinding } from "./findings.ts"
import type { MetadataLabel } from "./metadata-report.ts"
import { addXmlValues } from "./xml-values.ts"

/** Boxes that contain the boxes searched for (ISO/IEC 14496-12, QuickTime File Format). */
const CONTAINERS = /^(?:moov|trak|mdia|udta|meta|ilst)$/
/** Names of boxes and of Apple's keys, and the kind of finding each is. */
const NAMES: readonly (readonly [RegExp, MetadataLabel])[] = [
  [/^\xa9xyz$|^loci$|location/, "location"],
  [/^\xa9(?:mak|mod)$|\.(?:make|model)$/, "device"],
  [/^\xa9(?:swr|too|enc)$|software/, "software"],
  [/^\xa9day$|creationdate/, "date"],
  [/^\xa9(?:aut|art|ART|cpy|prd)$|author|artist/, "author"],
  [/^\xa9(?:nam|alb)$|title|displayname/, "title"],
  [/^\xa9(?:cmt|des|inf)$|comment|description/, "comment"],
  [/identifier/, "serial"],
]
/** Seconds from 1904, where these files begin to count, to 1970. */
const EPOCH = 2_082_844_800
const BOXES_MAX = 10_000
const DEPTH_MAX = 8

/** Reports place, time and device of a film, or of a picture in the same kind of boxes. */
export function addFilm(bytes: Uint8Array, add: AddFinding): void {
  let boxes = 0
  let keys: string[] = []
  const readBoxes = (start: number, end: number, depth: number): void => {
    for (let at = start; at + 8 <= end && boxes++ < BOXES_MAX;) {
      const short = uint(bytes, at, 4)
      const name = latin1(bytes, at + 4, at + 8)
      // 1: the length is in the next eight bytes; 0: to the end.
      const length = short === 1 ? uint(bytes, at + 8, 8) : short === 0 ? end - at : short
      const from = at + (short === 1 ? 16 : 8)
      const to = at + length
      // Bytes after a malformed box were not examined.
      if (!(length >= from - at && to <= end)) {
        add("technical")
        return
      }
      readBox(name, from, to, depth)
      at = to
    }
  }
  const readBox = (name: string, from: number, to: number, depth: number): void => {
    if (CONTAINERS.test(name) && depth < DEPTH_MAX) {
      // In one of the two families four bytes of version come before the boxes of `meta`.
      const version = name === "meta" && uint(bytes, from, 4) === 0 ? 4 : 0
      readBoxes(from + version, to, depth + 1)
    } else if (name === "mvhd") {
      const made = uint(bytes, from + 4, bytes[from] === 1 ? 8 : 4)
      if (made > EPOCH && made < EPOCH * 3) add("date", dateOf(made - EPOCH))
    } else if (name === "keys") keys = keyNames(from + 8, to)
    else if (name === "uuid" && /<x:xmpmeta/.test(latin1(bytes, from, Math.min(to, from + 4096)))) {
      add("history", "XMP")
      addXmlValues(new TextDecoder().decode(bytes.subarray(from, to)), add)
    } else {
      // Apple's lists name an entry by its number in the keys.
      const key = keys[uint(bytes, from - 4, 4) - 1] ?? name
      const label = NAMES.find(([pattern]) => pattern.test(key))?.[1]
      if (label !== undefined) add(label, textOf(key, from, to))
    }
  }
  const keyNames = (start: number, end: number): string[] => {
    const names: string[] = []
    for (let at = start; at + 8 <= end && names.length < 100;) {
      const length = uint(bytes, at, 4)
      if (!(length >= 8)) break
      names.push(latin1(bytes, at + 8, Math.min(at + length, end)))
      at += length
    }
    return names
  }
  const textOf = (key: string, from: number, to: number): string => {
    if (key === "loci") return ""
    // A list's entry is a box `data` with eight bytes before its text; the older form has a length
    // and a language.
    const skipped = startsWith(bytes, "data", from + 4) ? 16 : key.startsWith("\xa9") ? 4 : 0
    return new TextDecoder().decode(bytes.subarray(from + skipped, Math.min(to, from + 1000)))
  }
  readBoxes(0, bytes.length, 0)
  addExifItem(bytes, add)
}

/**
 * Pictures of this kind carry Exif as an item somewhere in their data, known by the head of a TIFF
 * file.
 */
function addExifItem(bytes: Uint8Array, add: AddFinding): void {
  const at = latin1(bytes).search(/MM\0\*\0{3}\x08|II\*\0\x08\0{3}/)
  if (at >= 0) readExif(bytes.subarray(at), add)
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19)
}
