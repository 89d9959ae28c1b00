import { crc32, deflateSync } from "node:zlib"
import { bytesOf, joined, latin1 } from "../../../src/drop/metadata/bytes.ts"

/** Stands in every tag the tests write: a cleaned file must not hold it, in any form. */
export const CANARY = "Canary-5E1F"

export function big(value: number, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, n) => value / 256 ** (size - 1 - n))
}

export function little(value: number, size: number): Uint8Array {
  return big(value, size).toReversed()
}

export function jpegSegment(marker: number, content: Uint8Array): Uint8Array {
  return joined([Uint8Array.of(0xff, marker), big(content.length + 2, 2), content])
}

const HUFFMAN = Uint8Array.from({ length: 18 }, (_, n) => (n === 1 ? 1 : 0))

/**
 * A JPEG of 8 by 8 grey pixels: one table of each kind with one code, one frame, one scan of two
 * bits.
 */
export const smallJpeg = joined([
  Uint8Array.of(0xff, 0xd8),
  jpegSegment(0xdb, joined([Uint8Array.of(0), new Uint8Array(64).fill(1)])),
  jpegSegment(0xc0, Uint8Array.of(8, 0, 8, 0, 8, 1, 1, 0x11, 0)),
  jpegSegment(0xc4, HUFFMAN),
  jpegSegment(0xc4, joined([Uint8Array.of(0x10), HUFFMAN.subarray(1)])),
  jpegSegment(0xda, Uint8Array.of(1, 1, 0, 0, 63, 0)),
  Uint8Array.of(0x3f, 0xff, 0xd9),
])

/** A JPEG with segments after its first two bytes. */
export function jpegWith(jpeg: Uint8Array, segments: readonly Uint8Array[]): Uint8Array {
  return joined([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)])
}

/** Entries of a directory of Exif: a text, a short number, or a directory within. */
export interface ExifEntries {
  readonly [tag: string]: string | number | ExifEntries | Uint8Array
}

/** An Exif block, big-endian, as cameras write it. */
export function exifBlock(entries: ExifEntries, thumbnail = false): Uint8Array {
  const head = joined([bytesOf("MM\0*"), big(8, 4)])
  return joined([head, exifDirectory(entries, 8, thumbnail)])
}

function exifDirectory(entries: ExifEntries, at: number, chained = false): Uint8Array {
  const rows: Uint8Array[] = []
  const values: Uint8Array[] = []
  let next = at + 2 + Object.keys(entries).length * 12 + 4
  const place = (value: Uint8Array): number => {
    const start = next
    values.push(value)
    next += value.length
    return start
  }
  for (const [name, value] of Object.entries(entries)) {
    const tag = big(Number(name), 2)
    if (typeof value === "number")
      rows.push(joined([tag, big(3, 2), big(1, 4), big(value, 2), big(0, 2)]))
    else if (typeof value === "string") {
      const text = bytesOf(`${value}\0`)
      const stored = text.length > 4 ? big(place(text), 4) : joined([text, new Uint8Array(4)])
      rows.push(joined([tag, big(2, 2), big(text.length, 4), stored.subarray(0, 4)]))
    } else if (value instanceof Uint8Array) {
      const fractions = value.length === 24
      const count = fractions ? 3 : value.length
      rows.push(joined([tag, big(fractions ? 5 : 7, 2), big(count, 4), big(place(value), 4)]))
    } else {
      const start = next
      place(exifDirectory(value, start))
      rows.push(joined([tag, big(4, 2), big(1, 4), big(start, 4)]))
    }
  }
  const following = chained ? place(joined([big(0, 2), big(0, 4), bytesOf(CANARY)])) : 0
  return joined([big(rows.length, 2), ...rows, big(following, 4), ...values])
}

/** Degrees, minutes and seconds as Exif writes a place. */
function degrees(whole: number, minutes: number, seconds: number): Uint8Array {
  return joined([whole, minutes, seconds].flatMap((part) => [big(part, 4), big(1, 4)]))
}

export const fullExif: ExifEntries = {
  0x010f: `${CANARY} Make`,
  0x0110: `${CANARY} Model`,
  0x0112: 6,
  0x0131: `${CANARY} Software`,
  0x0132: "2024:05:06 07:08:09",
  0x013b: `${CANARY} Artist`,
  0x8769: {
    0x829a: 7,
    0x927c: bytesOf(`${CANARY} maker note`),
    0x9286: bytesOf(`ASCII\0\0\0${CANARY} user comment`),
    0xa430: `${CANARY} Owner`,
    0xa431: `${CANARY} 12345`,
  },
  0x8825: { 1: "N", 2: degrees(48, 51, 30), 3: "E", 4: degrees(2, 17, 40) },
}

const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description xmp:CreatorTool="${CANARY} Tool"
 xmp:CreateDate="2024-05-06T07:08:09"><dc:creator><rdf:Seq><rdf:li>${CANARY} Person</rdf:li></rdf:Seq></dc:creator>
 <dc:title/><exif:GPSLatitude>48,51.5N</exif:GPSLatitude></rdf:Description></rdf:RDF></x:xmpmeta>`

/** One segment of each family a JPEG can carry, by name. */
export const jpegFamilies: Readonly<Record<string, Uint8Array>> = {
  exif: jpegSegment(0xe1, joined([bytesOf("Exif\0\0"), exifBlock(fullExif, true)])),
  xmp: jpegSegment(0xe1, bytesOf(`http://ns.adobe.com/xap/1.0/\0${xmp}`)),
  "extended xmp": jpegSegment(0xe1, bytesOf(`http://ns.adobe.com/xmp/extension/\0${CANARY}`)),
  icc: jpegSegment(0xe2, bytesOf(`ICC_PROFILE\0\x01\x01${CANARY}`)),
  mpf: jpegSegment(0xe2, bytesOf(`MPF\0${CANARY}`)),
  flashpix: jpegSegment(0xe2, bytesOf(`FPXR\0${CANARY}`)),
  "maker's own": jpegSegment(0xe4, bytesOf(`SAMSUNG ${CANARY}`)),
  iptc: jpegSegment(
    0xed,
    bytesOf(`Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x10\x1c\x02P\0\x0b${CANARY}`),
  ),
  "not Adobe's": jpegSegment(0xee, bytesOf(CANARY)),
  "jfif extension": jpegSegment(0xe0, bytesOf(`JFXX\0\x10${CANARY}`)),
  comment: jpegSegment(0xfe, bytesOf(CANARY)),
}
export const jfif = jpegSegment(
  0xe0,
  joined([bytesOf("JFIF\0"), Uint8Array.of(1, 2, 1, 0, 72, 0, 72, 2, 2), bytesOf(`${CANARY} `)]),
)
export const adobe = jpegSegment(
  0xee,
  joined([bytesOf("Adobe"), Uint8Array.of(0, 100, 0, 0, 0, 0, 0), bytesOf(CANARY)]),
)

export function pngChunk(name: string, content: Uint8Array): Uint8Array {
  const named = joined([bytesOf(name), content])
  return joined([big(content.length, 4), named, big(crc32(named), 4)])
}

const PNG_HEAD = bytesOf("\x89PNG\r\n\x1a\n")

/** A PNG of 4 by 4 coloured pixels with chunks between its head and its picture. */
export function pngWith(chunks: readonly Uint8Array[]): Uint8Array {
  const row = [0, ...Array.from({ length: 12 }, (_, n) => n * 20)]
  const pixels = deflateSync(Uint8Array.from([...row, ...row, ...row, ...row]))
  return joined([
    PNG_HEAD,
    pngChunk("IHDR", joined([big(4, 4), big(4, 4), Uint8Array.of(8, 2, 0, 0, 0)])),
    ...chunks,
    pngChunk("IDAT", pixels.subarray(0, 10)),
    pngChunk("IDAT", pixels.subarray(10)),
    pngChunk("IEND", new Uint8Array()),
  ])
}

export const pngFamilies: Readonly<Record<string, Uint8Array>> = {
  tEXt: pngChunk("tEXt", bytesOf(`Author\0${CANARY}`)),
  "tEXt of another program": pngChunk("tEXt", bytesOf(`parameters\0${CANARY}`)),
  iTXt: pngChunk("iTXt", bytesOf(`XML:com.adobe.xmp\0\0\0\0\0${xmp}`)),
  zTXt: pngChunk("zTXt", joined([bytesOf("Comment\0\0"), deflateSync(bytesOf(CANARY))])),
  eXIf: pngChunk("eXIf", exifBlock({ ...fullExif, 0x0112: 1 })),
  tIME: pngChunk("tIME", Uint8Array.of(7, 232, 5, 6, 7, 8, 9)),
  pHYs: pngChunk("pHYs", joined([big(2835, 4), big(2835, 4), Uint8Array.of(1)])),
  private: pngChunk("caNv", bytesOf(CANARY)),
}

export function webpChunk(name: string, content: Uint8Array): Uint8Array {
  const padding = new Uint8Array(content.length % 2)
  return joined([bytesOf(name), little(content.length, 4), content, padding])
}

export function webpOf(chunks: readonly Uint8Array[]): Uint8Array {
  const content = joined(chunks)
  return joined([bytesOf("RIFF"), little(content.length + 4, 4), bytesOf("WEBP"), content])
}

/** A lossless WebP of one pixel: its smallest stream. */
const VP8L = webpChunk(
  "VP8L",
  Uint8Array.from(Buffer.from("2f00000000071011fd0f4444ff0300", "hex")),
)

/** Flags of the extended format that announce a chunk. */
const WEBP_FLAGS: Readonly<Record<string, number>> = { ICCP: 0x20, EXIF: 0x08, "XMP ": 0x04 }

export function webpWith(chunks: readonly Uint8Array[], picture: Uint8Array = VP8L): Uint8Array {
  const flags = chunks.reduce((all, chunk) => all | (WEBP_FLAGS[latin1(chunk, 0, 4)] ?? 0), 0)
  // A profile comes before the picture, everything else after it.
  const before = chunks.filter((chunk) => latin1(chunk, 0, 4) === "ICCP")
  const behind = chunks.filter((chunk) => !before.includes(chunk))
  const head = webpChunk("VP8X", Uint8Array.of(flags, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  return webpOf([head, ...before, picture, ...behind])
}

export const webpFamilies: Readonly<Record<string, Uint8Array>> = {
  EXIF: webpChunk("EXIF", exifBlock({ ...fullExif, 0x0112: 1 })),
  "EXIF with the mark of a JPEG": webpChunk(
    "EXIF",
    joined([bytesOf("Exif\0\0"), exifBlock({ 0x013b: CANARY })]),
  ),
  XMP: webpChunk("XMP ", bytesOf(xmp)),
  ICCP: webpChunk("ICCP", bytesOf(CANARY)),
  unknown: webpChunk("CANA", bytesOf(CANARY)),
}

/** Blocks of a GIF: pieces of at most 255 bytes. */
function gifBlocks(content: Uint8Array): Uint8Array {
  const blocks: Uint8Array[] = []
  for (let at = 0; at < content.length; at += 255) {
    const piece = content.subarray(at, at + 255)
    blocks.push(Uint8Array.of(piece.length), piece)
  }
  return joined([...blocks, Uint8Array.of(0)])
}

function gifExtension(label: number, ...blocks: readonly Uint8Array[]): Uint8Array {
  const content = blocks.flatMap((block) => [Uint8Array.of(block.length), block])
  return joined([Uint8Array.of(0x21, label), ...content, Uint8Array.of(0)])
}

/** Two pictures of 2 by 2 pixels in four colours, one after the other. */
export function gifWith(extensions: readonly Uint8Array[]): Uint8Array {
  const colours = Uint8Array.of(0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255)
  const control = gifExtension(0xf9, Uint8Array.of(4, 10, 0, 0))
  const picture = (codes: readonly number[]): Uint8Array =>
    joined([
      Uint8Array.of(0x2c, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2),
      gifBlocks(packed([4, ...codes.slice(0, 2), 4, ...codes.slice(2), 5])),
    ])
  return joined([
    bytesOf("GIF89a"),
    Uint8Array.of(2, 0, 2, 0, 0x81, 0, 0),
    colours,
    ...extensions,
    control,
    picture([0, 1, 2, 3]),
    control,
    picture([3, 2, 1, 0]),
    Uint8Array.of(0x3b),
  ])
}

/**
 * Codes of three bits, the lowest first: the table is cleared so often that it never needs more.
 */
function packed(codes: readonly number[]): Uint8Array {
  const bits = codes.flatMap((code) => [code & 1, (code >> 1) & 1, (code >> 2) & 1])
  return Uint8Array.from({ length: Math.ceil(bits.length / 8) }, (_, n) =>
    bits.slice(n * 8, n * 8 + 8).reduce((byte, bit, place) => byte | (bit << place), 0),
  )
}

export const gifRepeats = gifExtension(0xff, bytesOf("NETSCAPE2.0"), Uint8Array.of(1, 0, 0))
export const gifFamilies: Readonly<Record<string, Uint8Array>> = {
  comment: gifExtension(0xfe, bytesOf(CANARY)),
  XMP: joined([
    Uint8Array.of(0x21, 0xff, 11),
    bytesOf(`XMP DataXMP${xmp.replace(/[^ -~]/g, " ")}`),
    // The format requires these bytes: from any length that is read last, they lead to the end.
    Uint8Array.from({ length: 258 }, (_, n) => (n === 0 ? 1 : n > 256 ? 0 : 256 - n)),
  ]),
  "unknown application": gifExtension(0xff, bytesOf("CANARYAPP10"), bytesOf(CANARY)),
  "plain text": gifExtension(0x01, new Uint8Array(12), bytesOf(CANARY)),
  "behind the repeats": gifExtension(
    0xff,
    bytesOf("NETSCAPE2.0"),
    Uint8Array.of(1, 0, 0),
    bytesOf(CANARY),
  ),
}

/** Whether bytes hold the canary as text of one or of two bytes a letter. */
export function holdsCanary(bytes: Uint8Array): boolean {
  return /C\0?a\0?n\0?a\0?r\0?y|CANARY|CANA|caNv/.test(latin1(bytes))
}
