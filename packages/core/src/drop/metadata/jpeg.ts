import { bytesOf, joined, latin1, startsWith, uint } from "./bytes.ts"
import { addTrailing, cleanProfile, type PictureCleaner } from "./cleaned-picture.ts"
import { orientationBlock, readExif } from "./exif.ts"
import { type AddFinding, collectFindings } from "./findings.ts"
import { addXmlValues } from "./xml-values.ts"

// Markers of ITU-T T.81, table B.1.
const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda
const APPLICATION = 0xe0
const COMMENT = 0xfe
/** Frames, tables, restart interval, scans: what a decoder needs. */
const SHOWN = /[\xc0-\xc7\xc9-\xcf\xda-\xdd]/
/** A frame: the numbers between are those of tables. */
const FRAME = /[\xc0-\xc3\xc5-\xc7\xc9-\xcb\xcd-\xcf]/
/** What every program may write for itself. Everything else is refused by decoders too. */
const APPLICATION_DATA = /[\xe0-\xef]/

const EXIF = "Exif\0\0"
/**
 * Followed by the number of a part and how many there are: a profile may be longer than a segment.
 */
const PROFILE = "ICC_PROFILE\0"
/**
 * Length, mark, version, unit and density; the two bytes after them are the size of its thumbnail.
 */
const JFIF_BYTES = 16
/**
 * Length, mark, version, two sets of flags and the colour transform, without which colours come out
 * wrong.
 */
const ADOBE_BYTES = 14

/**
 * Keeps what a decoder needs, and of the rest only how to turn the picture and which standard its
 * colours follow.
 */
export const cleanJpeg: PictureCleaner = (bytes) => {
  const { add, list } = collectFindings()
  const shown: Uint8Array[] = []
  let jfif: Uint8Array | null = null
  let orientation = 1
  const profile: Uint8Array[] = []
  let frame = false
  let scan = false
  let at = 2
  for (;;) {
    if (bytes[at] !== 0xff) return null
    // Any number of these may stand before a marker.
    while (bytes[at + 1] === 0xff) at++
    const marker = bytes[at + 1] ?? 0
    if (marker === END_OF_IMAGE) break
    const end = at + 2 + uint(bytes, at + 2, 2)
    if (!(end >= at + 4 && end <= bytes.length)) return null
    const segment = bytes.subarray(at, end)
    const content = segment.subarray(4)
    const name = String.fromCharCode(marker)
    if (SHOWN.test(name)) {
      if (!isExactSegment(marker, content)) return null
      frame ||= FRAME.test(name)
      shown.push(segment)
    } else if (marker === APPLICATION && startsWith(content, "JFIF\0") && end - at >= 18) {
      if (uint(content, 12, 2) > 0 || segment.length > JFIF_BYTES + 2) add("thumbnail")
      jfif ??= jfifWithoutThumbnail(segment)
    } else if (marker === APPLICATION + 14 && startsWith(content, "Adobe") && end - at >= 16) {
      if (segment.length > ADOBE_BYTES + 2) add("hidden-data")
      shown.push(withLength(marker, segment.subarray(4, ADOBE_BYTES + 2)))
    } else if (marker === APPLICATION + 1 && startsWith(content, EXIF)) {
      const said = readExif(content.subarray(EXIF.length), add)
      // A block that holds only the orientation is not reported: the same block is put back.
      if (orientation === 1) orientation = said
    } else if (marker === APPLICATION + 2 && startsWith(content, PROFILE))
      profile[content[PROFILE.length] ?? 0] = content.subarray(PROFILE.length + 2)
    else if (marker === COMMENT) add("comment", new TextDecoder().decode(content))
    else if (APPLICATION_DATA.test(name)) addApplicationData(marker, content, add)
    else return null
    at = end
    if (marker === START_OF_SCAN) {
      if (!frame) return null
      scan = true
      at = endOfScan(bytes, end)
      shown.push(bytes.subarray(end, at))
    }
  }
  if (!scan) return null
  addTrailing(bytes, at + 2, add)
  // In the order of their numbers, without the places of parts that are not there.
  const own = joined(Object.values(profile))
  const coloured = profile.length === 0 ? undefined : cleanProfile(own, add)?.bytes
  const turned =
    orientation === 1
      ? []
      : [withLength(APPLICATION + 1, joined([bytesOf(EXIF), orientationBlock(orientation)]))]
  return {
    parts: [
      bytes.subarray(0, 2),
      ...(jfif === null ? [] : [jfif]),
      ...turned,
      ...(coloured === undefined || coloured.length === 0
        ? []
        : [withLength(APPLICATION + 2, joined([bytesOf(`${PROFILE}\x01\x01`), coloured]))]),
      ...shown,
      Uint8Array.of(0xff, END_OF_IMAGE),
    ],
    findings: list(),
  }
}

/**
 * Where the next marker stands: within a scan 0xff is followed by zero or the number of a restart.
 */
function endOfScan(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return bytes.length
}

function withLength(marker: number, content: Uint8Array): Uint8Array {
  const length = content.length + 2
  return joined([Uint8Array.of(0xff, marker, length >> 8, length & 0xff), content])
}

function jfifWithoutThumbnail(segment: Uint8Array): Uint8Array {
  const kept = segment.slice(4, JFIF_BYTES + 2)
  kept.fill(0, 12)
  return withLength(APPLICATION, kept)
}

function addApplicationData(marker: number, content: Uint8Array, add: AddFinding): void {
  const name = /^[ -~]*/.exec(latin1(content, 0, Math.min(content.length, 40)))?.[0] ?? ""
  if (/^http:\/\/ns\.adobe\.com\/x/.test(name)) {
    add("history", "XMP")
    addXmlValues(new TextDecoder().decode(content), add)
  } else if (marker === APPLICATION) add("thumbnail")
  else if (name === "MPF") add("pictures")
  else if (/^Photoshop/.test(name)) add("history", "Photoshop, IPTC")
  else add("technical", name)
}

/**
 * Whether a segment that is kept holds what its kind holds and no byte more (ITU-T T.81, B.2): a
 * kept segment with room for something else would be a place to hide it.
 */
function isExactSegment(marker: number, content: Uint8Array): boolean {
  const { length } = content
  if (marker === 0xdd || marker === 0xdc) return length === 2
  if (marker === 0xda) return length === 4 + 2 * (content[0] ?? 0)
  if (marker === 0xdb) return tablesFill(content, (at) => 65 + 64 * ((content[at] ?? 0) >> 4))
  if (marker === 0xcc) return length % 2 === 0
  if (marker === 0xc4)
    return tablesFill(content, (at) => {
      let size = 17
      for (let n = 1; n <= 16; n++) size += uint(content, at + n, 1)
      return size
    })
  return length === 6 + 3 * (content[5] ?? 0)
}

/** Tables stand one after the other and end where the segment does. */
function tablesFill(content: Uint8Array, sizeAt: (at: number) => number): boolean {
  let at = 0
  while (at < content.length) at += sizeAt(at)
  return at === content.length
}
