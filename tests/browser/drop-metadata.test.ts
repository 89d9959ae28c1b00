import assert from "node:assert/strict"
import { test } from "node:test"
import { deflateSync } from "node:zlib"
import { inspect, losesColours, strip } from "@assay/core/drop/metadata"
import type { Page } from "playwright-core"
import { bytesOf, joined } from "../../packages/core/src/drop/metadata/bytes.ts"
import {
  adobe,
  exifBlock,
  fullExif,
  gifFamilies,
  gifRepeats,
  gifWith,
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
  webpWith,
} from "../../packages/core/testing/drop/metadata/test-pictures.ts"
import {
  gammaCurve,
  iccProfile,
  PRIMARIES,
  srgbFormula,
  srgbTable,
} from "../../packages/core/testing/drop/metadata/test-profiles.ts"
import { launchChromium } from "./shared-chromium.ts"

// Run in the page. A picture of noise as Chromium itself writes it: nothing in it repeats, so that
// a lost byte shows.
const NOISE = `async (type) => {
  const canvas = new OffscreenCanvas(40, 24)
  const context = canvas.getContext("2d")
  const pixels = context.createImageData(40, 24)
  for (let n = 0; n < pixels.data.length; n++) pixels.data[n] = n % 4 === 3 ? 255 : (n * 7919 + (n >> 3) * 31) % 256
  context.putImageData(pixels, 0, 0)
  const blob = await canvas.convertToBlob({ type, quality: 0.9 })
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
}`

// Size, frames, repeats and pixels as they show, with an orientation applied. Null: it does not
// show.
const SHOWN = `async (type, base64) => {
  const data = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const still = await createImageBitmap(new Blob([data], { type })).catch(() => null)
  if (still === null) return null
  const { width, height } = still
  const context = new OffscreenCanvas(width, height).getContext("2d")
  const pixels = []
  const take = (picture) => {
    context.clearRect(0, 0, width, height)
    context.drawImage(picture, 0, 0)
    pixels.push(context.getImageData(0, 0, width, height).data.join())
  }
  take(still)
  const decoder = new ImageDecoder({ data, type })
  await decoder.tracks.ready
  const { frameCount, repetitionCount } = decoder.tracks.selectedTrack
  for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) {
    const { image } = await decoder.decode({ frameIndex })
    take(image)
    pixels.push(image.duration)
  }
  return [width + "x" + height, frameCount, repetitionCount, ...pixels].join(" ")
}`

async function noise(page: Page, type: string): Promise<Uint8Array> {
  const base64 = await page.evaluate<string>(`(${NOISE})(${JSON.stringify(type)})`)
  return Uint8Array.from(Buffer.from(base64, "base64"))
}

async function shown(page: Page, type: string, bytes: Uint8Array): Promise<string | null> {
  const base64 = JSON.stringify(Buffer.from(bytes).toString("base64"))
  return await page.evaluate<string | null>(`(${SHOWN})(${JSON.stringify(type)}, ${base64})`)
}

/** The largest difference of two pictures in any value, as `shown` writes them. */
function difference(one: string, other: string): number {
  const [before, after] = [one, other].map((text) => text.split(/[ ,]/).slice(3).map(Number))
  assert.ok(before !== undefined && before.length > 100 && before.length === after?.length)
  return Math.max(...before.map((value, n) => Math.abs(value - (after[n] ?? NaN)) || 0))
}

test("T44: every family of tags is cut in Chromium's eyes too: the same pixels, turned the same way", async (context) => {
  const browser = await launchChromium(context)
  if (browser === null) return
  const page = await browser.newPage()
  // Frames can be inspected only in a secure context: this page is on the machine itself.
  await page.route("**", (route) => route.fulfill({ contentType: "text/html", body: "" }))
  await page.goto("http://localhost/")
  // Chromium writes a profile of its own into what it makes.
  const cleanJpeg = strip(await noise(page, "image/jpeg"))
  assert.ok("bytes" in cleanJpeg)
  const jpeg = cleanJpeg.bytes
  const webp = await noise(page, "image/webp")
  // Chromium writes the extended format with a profile: the picture follows the two headers.
  const cleanWebp = strip(webp)
  assert.ok("bytes" in cleanWebp)
  const webpPicture = cleanWebp.bytes.subarray(30)
  const png = await noise(page, "image/png")
  const turned = [2, 3, 4, 5, 6, 7, 8].map((orientation) =>
    jpegSegment(
      0xe1,
      joined([bytesOf("Exif\0\0"), exifBlock({ ...fullExif, 0x0112: orientation })]),
    ),
  )
  // Without a profile colours are read as sRGB, which Chromium also does with one it cannot read.
  const pictures: [string, Uint8Array][] = [
    ...[...Object.values(jpegFamilies), jfif, adobe, ...turned].map(
      (segment): [string, Uint8Array] => ["image/jpeg", jpegWith(jpeg, [segment])],
    ),
    ["image/jpeg", jpegWith(smallJpeg, Object.values(jpegFamilies))],
    ["image/jpeg", joined([jpeg, smallJpeg])],
    ...Object.values(pngFamilies).flatMap((chunk): [string, Uint8Array][] => [
      ["image/png", pngWith([chunk])],
      ["image/png", joined([png.subarray(0, 33), chunk, png.subarray(33)])],
    ]),
    ["image/png", joined([png, bytesOf("PK\x03\x04")])],
    ["image/webp", webp],
    ...Object.values(webpFamilies).map((chunk): [string, Uint8Array] => {
      const bytes = webpWith([chunk], webpPicture)
      bytes.set([39, 0, 0, 23, 0, 0], 24)
      return ["image/webp", bytes]
    }),
    ...Object.values(gifFamilies).map((part): [string, Uint8Array] => [
      "image/gif",
      gifWith([gifRepeats, part]),
    ]),
  ]
  for (const [n, [type, bytes]] of pictures.entries()) {
    const result = strip(bytes)
    assert.ok("bytes" in result, `${type} ${n}`)
    assert.deepEqual(inspect(result.bytes).findings, [], `${type} ${n} holds nothing more`)
    const before = await shown(page, type, bytes)
    assert.notEqual(before, null, `${type} ${n} shows`)
    assert.ok((await shown(page, type, result.bytes)) === before, `${type} ${n} shows the same`)
    assert.ok(result.removed.length > 0, `${type} ${n}`)
  }
  // Colours of a wider space stay as they were; without their profile they would change.
  const spaces = [
    iccProfile(PRIMARIES.srgb, srgbTable),
    iccProfile(PRIMARIES.srgb, gammaCurve(2.2)),
    iccProfile(PRIMARIES.p3, srgbFormula),
    iccProfile(PRIMARIES.adobe, gammaCurve(2.19921875)),
  ]
  const carried = (profile: Uint8Array): [string, Uint8Array][] => {
    const webpProfiled = webpWith([webpChunk("ICCP", profile)], webpPicture)
    webpProfiled.set([0x20], 20)
    webpProfiled.set([39, 0, 0, 23, 0, 0], 24)
    const icc = pngChunk("iCCP", joined([bytesOf("x\0\0"), deflateSync(profile)]))
    const segment = jpegSegment(0xe2, joined([bytesOf("ICC_PROFILE\0\x01\x01"), profile]))
    return [
      ["image/jpeg", jpegWith(jpeg, [segment])],
      ["image/png", joined([png.subarray(0, 33), icc, png.subarray(33)])],
      ["image/webp", webpProfiled],
    ]
  }
  for (const [n, profile] of spaces.entries())
    for (const [type, bytes] of carried(profile)) {
      const result = strip(bytes)
      assert.ok("bytes" in result)
      assert.equal(losesColours(result.removed), false, `${type} in space ${n}`)
      const differs = difference(
        (await shown(page, type, bytes)) ?? "",
        (await shown(page, type, result.bytes)) ?? "",
      )
      // One step of 255: curves in another form differ in their last digit.
      assert.ok(differs <= 1, `${type} in space ${n} differs by ${differs}`)
    }
  for (const [type, bytes] of carried(iccProfile(PRIMARIES.own, srgbTable))) {
    const result = strip(bytes)
    assert.ok("bytes" in result && losesColours(result.removed), type)
    const differs = difference(
      (await shown(page, type, bytes)) ?? "",
      (await shown(page, type, result.bytes)) ?? "",
    )
    assert.ok(differs > 1, `${type} is told, and looks different`)
  }
  // The comparison itself sees a picture that is turned, and one that moves.
  const lying = turned[4] ?? bytesOf("")
  assert.match((await shown(page, "image/jpeg", jpeg)) ?? "", /^40x24 1 /)
  assert.match((await shown(page, "image/jpeg", jpegWith(jpeg, [lying]))) ?? "", /^24x40 1 /)
  assert.match((await shown(page, "image/gif", gifWith([gifRepeats]))) ?? "", /^2x2 2 Infinity /)
})
