import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { bytesOf, joined, latin1 } from "./bytes.ts"
import { inspect, METADATA_LABELS, strip } from "./index.ts"
import {
  adobe,
  CANARY,
  exifBlock,
  fullExif,
  gifFamilies,
  gifRepeats,
  gifWith,
  holdsCanary,
  jfif,
  jpegFamilies,
  jpegSegment,
  jpegWith,
  pngChunk,
  pngFamilies,
  pngWith,
  smallJpeg,
  webpChunk,
  webpFamilies,
  webpOf,
  webpWith,
} from "../../../testing/drop/metadata/test-pictures.ts"

const plain = {
  "image/jpeg": smallJpeg,
  "image/png": pngWith([]),
  "image/webp": webpWith([]),
  "image/gif": gifWith([gifRepeats]),
}

function cleaned(bytes: Uint8Array): Uint8Array {
  const result = strip(bytes)
  assert.ok("bytes" in result)
  return result.bytes
}

test("T44: a picture without metadata is left as it is, byte for byte", () => {
  for (const [type, bytes] of Object.entries(plain)) {
    assert.deepEqual(strip(bytes), { bytes, removed: [] }, type)
    const { treatment, findings, type: found } = inspect(bytes)
    assert.deepEqual(
      { treatment, findings, type: found },
      { treatment: "clean", findings: [], type },
    )
  }
})

test("T44, T45: each family of tags is reported and leaves no byte behind", () => {
  const carriers: [
    string,
    Readonly<Record<string, Uint8Array>>,
    (part: Uint8Array) => Uint8Array,
    Uint8Array,
  ][] = [
    ["JPEG", jpegFamilies, (part) => jpegWith(smallJpeg, [part]), smallJpeg],
    ["PNG", pngFamilies, (part) => pngWith([part]), plain["image/png"]],
    ["WebP", webpFamilies, (part) => webpWith([part]), plain["image/webp"]],
    ["GIF", gifFamilies, (part) => gifWith([part]), gifWith([])],
  ]
  for (const [format, families, carry, bare] of carriers)
    for (const [family, part] of Object.entries(families)) {
      const bytes = carry(part)
      const { treatment, findings } = inspect(bytes)
      assert.equal(treatment, "clean", `${format} ${family}`)
      assert.ok(findings.length > 0, `${format} ${family} is reported`)
      const result = strip(bytes)
      assert.ok("bytes" in result)
      assert.deepEqual(result.removed, findings)
      assert.equal(holdsCanary(result.bytes), false, `${format} ${family} is gone`)
      assert.deepEqual(inspect(result.bytes).findings, [], `${format} ${family} leaves nothing`)
      const kept = family === "exif" || family === "behind the repeats"
      if (!kept) assert.deepEqual(result.bytes, bare, `${format} ${family}`)
    }
})

test("T44: of Exif only how to turn the picture is put back", () => {
  const turned = cleaned(jpegWith(smallJpeg, [jpegFamilies.exif ?? bytesOf("")]))
  assert.deepEqual(
    turned,
    jpegWith(smallJpeg, [
      jpegSegment(0xe1, joined([bytesOf("Exif\0\0"), exifBlock({ 0x0112: 6 })])),
    ]),
  )
  for (const orientation of [0, 1, 9, 65_535]) {
    const exif = joined([bytesOf("Exif\0\0"), exifBlock({ ...fullExif, 0x0112: orientation })])
    assert.deepEqual(cleaned(jpegWith(smallJpeg, [jpegSegment(0xe1, exif)])), smallJpeg)
  }
})

test("what a camera wrote is told in words a sender knows", () => {
  const { findings } = inspect(jpegWith(smallJpeg, [jpegFamilies.exif ?? bytesOf("")]))
  const textsOf = (label: string): (string | null)[] =>
    findings.filter((finding) => finding.label === label).map(({ value }) => value)
  assert.deepEqual(textsOf("location"), ["N 48.85833 E 2.29444"])
  assert.deepEqual(textsOf("device"), [`${CANARY} Make`, `${CANARY} Model`])
  assert.deepEqual(textsOf("date"), ["2024:05:06 07:08:09"])
  assert.deepEqual(textsOf("author"), [`${CANARY} Artist`, `${CANARY} Owner`])
  assert.deepEqual(textsOf("serial"), [`${CANARY} 12345`])
  assert.deepEqual(textsOf("thumbnail"), [null])
  const xmpFound = inspect(pngWith([pngFamilies.iTXt ?? bytesOf("")])).findings
  assert.deepEqual(
    xmpFound.map(({ label, value }) => `${label}: ${value ?? ""}`),
    [
      "history: XMP",
      `author: ${CANARY} Person`,
      `software: ${CANARY} Tool`,
      "date: 2024-05-06T07:08:09",
      "location: 48,51.5N",
    ],
  )
})

test("T45: the head of a JPEG loses its small picture and what stands behind Adobe's mark", () => {
  const bytes = cleaned(jpegWith(smallJpeg, [jfif, adobe]))
  assert.equal(holdsCanary(bytes), false)
  assert.match(
    latin1(bytes),
    /^\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x02\x01\0H\0H\0\0\xff\xee\0\x0eAdobe\0d\0{5}\xff/,
  )
})

test("T45: what stands after the end of a picture is reported with its kind, and cut", () => {
  const film = joined([Uint8Array.of(0, 0, 0, 20), bytesOf(`ftypmp42${CANARY}`)])
  const second = jpegWith(smallJpeg, [jpegSegment(0xfe, bytesOf(CANARY))])
  const archive = bytesOf(`PK\x03\x04${CANARY}`)
  for (const [type, bytes] of Object.entries(plain))
    for (const [tail, kind] of [
      [film, "video/mp4"],
      [second, "image/jpeg"],
      [archive, "application/zip"],
    ] as const) {
      const whole = joined([bytes, tail])
      assert.deepEqual(inspect(whole).findings, [
        { label: "hidden-data", value: `${tail.length} bytes ${kind}` },
      ])
      assert.deepEqual(cleaned(whole), bytes, `${type} before ${kind}`)
    }
})

test("a frame of a moving WebP is cleaned inside", () => {
  const picture = plain["image/webp"].subarray(30)
  const frame = (chunks: readonly Uint8Array[]): Uint8Array =>
    webpOf([
      webpChunk("VP8X", Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
      webpChunk("ANIM", new Uint8Array(6)),
      webpChunk("ANMF", joined([new Uint8Array(16), ...chunks])),
    ])
  const bytes = frame([picture, webpChunk("CANA", bytesOf(CANARY))])
  assert.deepEqual(strip(bytes), {
    bytes: frame([picture]),
    removed: [{ label: "technical", value: "CANA" }],
  })
})

test("T44: a picture that is not well formed is refused, never half cleaned", () => {
  const cut = Object.values(plain).flatMap((bytes) => [
    bytes.subarray(0, bytes.length - 1),
    bytes.subarray(0, bytes.length >> 1),
  ])
  const png = plain["image/png"]
  const malformed = [
    ...cut,
    // A kept segment with room for something else.
    jpegWith(smallJpeg, [jpegSegment(0xdd, bytesOf(CANARY))]),
    jpegWith(smallJpeg, [jpegSegment(0xdb, bytesOf(CANARY))]),
    jpegWith(smallJpeg, [jfif, bytesOf(CANARY)]),
    jpegWith(smallJpeg, [jpegSegment(0xf0, bytesOf(CANARY))]),
    jpegWith(smallJpeg, [Uint8Array.of(0xff, 0xe1, 0, 1)]),
    bytesOf("\xff\xd8\xff\xd9"),
    pngWith([pngChunk("CANA", bytesOf(CANARY))]),
    pngWith([pngChunk("sRGB", bytesOf(CANARY))]),
    pngWith([pngChunk("IHDR", new Uint8Array(13))]),
    joined([png.subarray(0, 8), png.subarray(33)]),
    webpOf([webpChunk("CANA", bytesOf(CANARY))]),
    webpOf([webpChunk("VP8X", new Uint8Array(11))]),
    gifWith([bytesOf(CANARY)]),
    bytesOf("GIF89a\x01\0\x01\0\0\0\0;"),
  ]
  for (const [n, bytes] of malformed.entries()) {
    assert.deepEqual(strip(bytes), { fault: "malformed" }, `picture ${n}`)
    assert.equal(inspect(bytes).treatment, "malformed", `picture ${n}`)
    assert.deepEqual(inspect(bytes).findings, [])
  }
})

/**
 * Pictures with many parts, cut, doubled and changed at random: most are still read for a while.
 */
const damaged = fc
  .tuple(
    fc.constantFrom(
      jpegWith(smallJpeg, [jfif, adobe, ...Object.values(jpegFamilies)]),
      pngWith(Object.values(pngFamilies)),
      webpWith(Object.values(webpFamilies)),
      gifWith([gifRepeats, ...Object.values(gifFamilies)]),
    ),
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
    fc.option(fc.nat()),
  )
  .map(([picture, changes, end]) => {
    const bytes = picture.slice(0, end === null ? picture.length : end % (picture.length + 1))
    for (const [at, value] of changes) if (bytes.length > 0) bytes[at % bytes.length] = value
    return bytes
  })

test("whatever the bytes are, there is an answer, and cleaning twice changes nothing more", () => {
  const labels = new Set<string>(METADATA_LABELS)
  fc.assert(
    fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 600 })), (bytes) => {
      const copy = bytes.slice()
      const { findings } = inspect(bytes)
      assert.ok(
        findings.every(({ label, value }) => labels.has(label) && (value?.length ?? 0) < 300),
      )
      const once = strip(bytes)
      assert.deepEqual(bytes, copy)
      if (!("bytes" in once)) return
      assert.ok(once.bytes.length <= bytes.length)
      assert.deepEqual(strip(once.bytes), { bytes: once.bytes, removed: [] })
    }),
    { seed: 44, numRuns: process.env.ASSAY_SOAK === undefined ? 1500 : 200_000 },
  )
})
