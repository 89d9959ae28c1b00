import assert from "node:assert/strict"
import { test } from "node:test"
import { deflateSync, inflateSync } from "node:zlib"
import fc from "fast-check"
import { bytesOf, joined, latin1 } from "./bytes.ts"
import { standardProfile } from "./colour-profile.ts"
import { inspect, losesColours, strip } from "./index.ts"
import {
  big,
  CANARY,
  holdsCanary,
  jpegSegment,
  jpegWith,
  pngChunk,
  pngWith,
  smallJpeg,
  webpChunk,
  webpWith,
} from "../../../testing/drop/metadata/test-pictures.ts"
import {
  gammaCurve,
  iccProfile,
  PRIMARIES,
  srgbFormula,
  srgbTable,
} from "../../../testing/drop/metadata/test-profiles.ts"

const sRGB = iccProfile(PRIMARIES.srgb, srgbTable)
const wide: Readonly<Record<string, Uint8Array>> = {
  "sRGB 2.2": iccProfile(PRIMARIES.srgb, gammaCurve(2.2)),
  "Display P3": iccProfile(PRIMARIES.p3, srgbFormula),
  AdobeRGB: iccProfile(PRIMARIES.adobe, gammaCurve(2.19921875)),
}
const own: Readonly<Record<string, Uint8Array>> = {
  "an editor's": iccProfile(PRIMARIES.prophoto, gammaCurve(1.8)),
  "a monitor's": iccProfile(PRIMARIES.own, srgbTable),
  "another curve": iccProfile(PRIMARIES.p3, gammaCurve(1.9)),
  "a table of colours": iccProfile(PRIMARIES.p3, srgbFormula, { A2B0: bytesOf("mft2") }),
  "a curve of another form": iccProfile(PRIMARIES.p3, bytesOf("none")),
  "no profile": bytesOf(CANARY),
}

function jpegOf(profile: Uint8Array, parts = 1): Uint8Array {
  const size = Math.ceil(profile.length / parts)
  const segments = Array.from({ length: parts }, (_, n) =>
    jpegSegment(
      0xe2,
      joined([
        bytesOf("ICC_PROFILE\0"),
        Uint8Array.of(n + 1, parts),
        profile.subarray(n * size, n * size + size),
      ]),
    ),
  )
  // Parts may come in any order.
  return jpegWith(smallJpeg, segments.toReversed())
}
const iccp = (profile: Uint8Array): Uint8Array =>
  pngChunk("iCCP", joined([bytesOf(`${CANARY}\0\0`), deflateSync(profile)]))
const carriers: Readonly<Record<string, (profile: Uint8Array) => Uint8Array>> = {
  JPEG: jpegOf,
  "JPEG in parts": (profile) => jpegOf(profile, 3),
  PNG: (profile) => pngWith([iccp(profile)]),
  WebP: (profile) => webpWith([webpChunk("ICCP", profile)]),
}

function cleaned(bytes: Uint8Array): { bytes: Uint8Array; labels: string[] } {
  const result = strip(bytes)
  assert.ok("bytes" in result)
  assert.deepEqual(strip(result.bytes), { bytes: result.bytes, removed: [] })
  assert.equal(holdsCanary(result.bytes), false)
  return { bytes: result.bytes, labels: result.removed.map(({ label }) => label) }
}

test("T44: a picture in a standard colour space keeps the space, in a profile of ours that says nothing else", () => {
  for (const [name, profile] of Object.entries(wide)) {
    const ours = standardProfile(profile)?.bytes
    assert.ok(ours !== undefined && ours.length > 0 && ours.length < 500, name)
    // Our profile maps to itself, and its first bytes hold its size.
    assert.deepEqual(standardProfile(ours)?.bytes, ours)
    assert.deepEqual(ours.subarray(0, 4), big(ours.length, 4))
    assert.match(latin1(ours, 240, 276), /^mluc.*R\0G\0B\0\0$/s)
    for (const [format, carry] of Object.entries(carriers)) {
      const { bytes, labels } = cleaned(carry(profile))
      assert.deepEqual(labels, ["technical"], `${format} ${name}`)
      assert.ok(latin1(bytes).includes(latin1(ours)), `${format} ${name}`)
    }
    // The sums in a PNG are written down, since the profile is always the same.
    const { bytes: png } = cleaned(pngWith([iccp(profile)]))
    const chunk = png.subarray(33, 33 + 12 + ours.length + 16)
    assert.deepEqual(chunk, pngChunk("iCCP", chunk.subarray(8, -4)))
    assert.deepEqual(new Uint8Array(inflateSync(chunk.subarray(13))), ours)
  }
})

test("T44: a profile of sRGB goes, since pictures without one are taken for sRGB", () => {
  for (const profile of [sRGB, iccProfile(PRIMARIES.srgb, srgbFormula)])
    for (const [format, carry] of Object.entries(carriers)) {
      const { bytes, labels } = cleaned(carry(profile))
      assert.deepEqual(labels, ["technical"], format)
      assert.doesNotMatch(latin1(bytes), /ICC|acsp/, format)
    }
  // The PNG gets an sRGB chunk, since a gAMA beside the profile would take effect once the profile
  // is gone.
  const png = pngWith([pngChunk("gAMA", big(100_000, 4)), iccp(sRGB)])
  assert.deepEqual(cleaned(png).bytes, pngWith([pngChunk("sRGB", Uint8Array.of(0))]))
})

test("a picture whose colours depend on another profile loses it, and its sender is told", () => {
  for (const [name, profile] of Object.entries(own))
    for (const [format, carry] of Object.entries(carriers)) {
      const bytes = carry(profile)
      assert.equal(losesColours(inspect(bytes).findings), true, `${format} with ${name}`)
      assert.doesNotMatch(latin1(cleaned(bytes).bytes), /ICC_PROFILE|iCCP|ICCP/)
    }
  for (const bytes of [smallJpeg, pngWith([]), webpWith([])])
    assert.equal(losesColours(inspect(bytes).findings), false)
})

test("primaries of their own in a PNG are told where they show, and only there", () => {
  const chunk = (values: readonly number[]): Uint8Array =>
    pngChunk("cHRM", joined(values.map((value) => big(value, 4))))
  const usual = chunk([31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000])
  const other = chunk([31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000])
  const gamma = pngChunk("gAMA", big(45_455, 4))
  const srgb = pngChunk("sRGB", Uint8Array.of(0))
  const shows = (...chunks: Uint8Array[]): boolean =>
    losesColours(inspect(pngWith(chunks)).findings)
  assert.equal(shows(gamma, other), true)
  for (const chunks of [[gamma, usual], [other], [srgb, gamma, other], [iccp(sRGB), gamma, other]])
    assert.equal(shows(...chunks), false)
  assert.deepEqual(cleaned(pngWith([gamma, other])).bytes, pngWith([gamma]))
})

test("whatever a profile holds, it is answered, and what comes out is one of four", () => {
  const outcomes = new Set<string>()
  const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 4 })
  fc.assert(
    fc.property(fc.constantFrom(sRGB, ...Object.values(wide)), changes, (profile, changed) => {
      const bytes = profile.slice()
      for (const [at, value] of changed) bytes[at % bytes.length] = value
      const ours = standardProfile(bytes)
      if (ours !== null) outcomes.add(latin1(ours.bytes))
    }),
    { seed: 46, numRuns: process.env.ASSAY_SOAK === undefined ? 2000 : 100_000 },
  )
  assert.equal(outcomes.size, 4)
})
