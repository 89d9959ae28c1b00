import { latin1, uint } from "./bytes.ts"
import type { AddFinding } from "./findings.ts"
import type { MetadataLabel } from "./metadata-report.ts"

/** Tags of the Exif 3.0 and TIFF 6.0 specifications by which a person or a device can be found. */
const LABELS: Readonly<Record<number, MetadataLabel>> = {
  0x010e: "comment", // ImageDescription
  0x010f: "device", // Make
  0x0110: "device", // Model
  0x0131: "software",
  0x0132: "date",
  0x013b: "author", // Artist
  0x013c: "device", // HostComputer
  0x8298: "author", // Copyright
  0x9003: "date", // DateTimeOriginal
  0x9004: "date", // DateTimeDigitized
  0x9286: "comment", // UserComment
  0x927c: "technical", // MakerNote
  0x9c9b: "title", // XPTitle
  0x9c9c: "comment", // XPComment
  0x9c9d: "author", // XPAuthor
  0x9c9e: "comment", // XPKeywords
  0x9c9f: "title", // XPSubject
  0xa420: "serial", // ImageUniqueID
  0xa430: "author", // CameraOwnerName
  0xa431: "serial", // BodySerialNumber
  0xa434: "device", // LensModel
  0xa435: "serial", // LensSerialNumber
}
const ORIENTATION = 0x0112
const EXIF_DIRECTORY = 0x8769
const GPS_DIRECTORY = 0x8825
const ASCII = 2
/** Bytes of one value, by its type. */
const SIZES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]
/** Far more than cameras write; a forged block must not keep anybody busy. */
const ENTRIES_MAX = 1000

/** Reports the content of an Exif block and returns the orientation, 1 to 8; 1 if it has none. */
export function readExif(tiff: Uint8Array, add: AddFinding): number {
  const little = latin1(tiff, 0, 2) === "II"
  const number = (at: number, size: number): number => uint(tiff, at, size, little)
  let orientation = 1
  let entries = 0
  let findings = 0
  const tell: AddFinding = (label, value) => {
    findings++
    add(label, value)
  }

  /** Returns where the next directory of the same chain begins, 0 for none. */
  const readDirectory = (start: number, gps: boolean, depth: number): number => {
    const count = number(start, 2)
    const position: string[] = []
    for (let n = 0; n < count && entries++ < ENTRIES_MAX; n++) {
      const entry = start + 2 + n * 12
      const [tag, type, length] = [number(entry, 2), number(entry + 2, 2), number(entry + 4, 4)]
      const size = (SIZES[type] ?? 0) * length
      const at = size > 4 ? number(entry + 8, 4) : entry + 8
      if (!(at + size <= tiff.length)) {
        tell("technical")
        continue
      }
      const bytes = tiff.subarray(at, at + Math.min(size, 1000))
      if (tag === ORIENTATION && !gps) orientation = number(entry + 8, 2)
      else if ((tag === EXIF_DIRECTORY || tag === GPS_DIRECTORY) && depth < 2)
        readDirectory(number(entry + 8, 4), tag === GPS_DIRECTORY, depth + 1)
      else if (gps && type === 5 && (tag === 2 || tag === 4)) position.push(degrees(number, at))
      else if (gps && type === ASCII && (tag === 1 || tag === 3)) position.push(latin1(bytes))
      else if (!gps) {
        const label = LABELS[tag]
        tell(label ?? "technical", label === undefined ? "" : textOf(tag, type, bytes))
      }
    }
    if (gps) tell("location", position.join(" "))
    return number(start + 2 + count * 12, 4)
  }
  // The second directory of the chain, where there is one, describes a small picture of the whole.
  if (readDirectory(number(4, 4), false, 0) > 0) tell("thumbnail")
  // A block that cannot be read still carries something.
  if (findings === 0 && tiff.length !== ORIENTATION_BLOCK.length) add("technical")
  return orientation >= 1 && orientation <= 8 ? orientation : 1
}

/** Degrees, minutes and seconds, each as a fraction. */
function degrees(number: (at: number, size: number) => number, at: number): string {
  const part = (n: number): number => number(at + n * 8, 4) / number(at + n * 8 + 4, 4)
  const whole = part(0) + part(1) / 60 + part(2) / 3600
  return Number.isFinite(whole) ? whole.toFixed(5) : ""
}

function textOf(tag: number, type: number, bytes: Uint8Array): string {
  // Windows writes these tags in UTF-16.
  if (tag >= 0x9c9b && tag <= 0x9c9f) return new TextDecoder("utf-16le").decode(bytes)
  if (type === ASCII) return new TextDecoder().decode(bytes)
  // UserComment begins with the name of its encoding in eight bytes.
  return tag === 0x9286 && latin1(bytes, 0, 5) === "ASCII" ? latin1(bytes, 8) : ""
}

const ORIENTATION_BLOCK = [
  ...[0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8], // big-endian, first directory at 8
  ...[0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0], // one entry: orientation, a short
  ...[0, 0, 0, 0], // no further directory
]
const ORIENTATION_AT = 19

/** The smallest Exif block that holds an orientation, and nothing else. */
export function orientationBlock(orientation: number): Uint8Array {
  const block = Uint8Array.from(ORIENTATION_BLOCK)
  block[ORIENTATION_AT] = orientation
  return block
}
