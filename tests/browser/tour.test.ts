// The guided tour is taken in a real browser on the demo. `node scripts/pictures.ts` also writes
// its pictures; every other run only looks that each page is still there to be pictured.
import assert from "node:assert/strict"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, test } from "node:test"
import type { Browser } from "playwright-core"
import { root } from "../../scripts/repository.ts"
import { DEMO_IDENTITIES } from "../../packages/console/src/playground/identities.ts"
import { assay } from "../cli/assay.ts"
import { type Service, startService } from "../http/service.ts"
import { joins, tokenIn } from "../http/signed-in.ts"
import { isPresent } from "./chromium.ts"
import { useCookies } from "./cookies.ts"
import { chunksOf, decodePng, encodeApng, encodePng, type Frame, type Picture } from "./png.ts"
import { closePages, sharedChromium } from "./shared-chromium.ts"
import { caption, type Step, TOUR } from "./tour.ts"

const isWriting = process.env["PICTURES"] === "write"
const IMAGES = join(root, "docs/images")
const MOVING = join(IMAGES, "tour.png")
const SIZE = { width: 1440, height: 900 }
const THEMES = ["light", "dark"] as const

let service: Service
let browser: Browser | null
before(async () => {
  ;[service, browser] = await Promise.all([
    startService({ args: ["--workers", "1"] }),
    sharedChromium(),
  ])
})
after(async () => {
  await closePages(browser)
  await service.stop()
})

/** Decisions for the pages to show, some of them in need of an analyst. */
async function decide(): Promise<void> {
  let order = 1_040
  for (let round = 0; round < 3; round++)
    for (const [identity] of DEMO_IDENTITIES) {
      const isEmail = identity.includes("@")
      const path = isEmail ? "/api/v1/risk/score" : "/api/v1/phone-risk"
      const context = { ref: `order ${++order}` }
      const json = isEmail ? { email: identity, context } : { phone_number: identity, context }
      const answer = await service.request(path, { key: service.key, json })
      assert.equal(answer.status, 200)
    }
}

function fileOf({ name }: Step, theme: string): string {
  return join(IMAGES, `${name}-${theme}.png`)
}

test("the tour can be taken as it is pictured, in both themes", async (context) => {
  if (!isPresent(context) || browser === null) return
  await decide()
  const env = { ASSAY_DATA: service.dataDirectory, PORT: String(service.port) }
  const invited = await assay(["people", "invite", "--tenant", "demo", "--role", "owner"], env)
  const owner = await joins(service, tokenIn(invited.out.trim()), "ada@console.example")
  const frames: Frame[] = []
  for (const colorScheme of isWriting ? THEMES : [THEMES[0]]) {
    const looks = await browser.newContext({ viewport: SIZE, colorScheme, reducedMotion: "reduce" })
    await useCookies(looks, service.port, owner.cookies)
    const page = await looks.newPage()
    for (const step of TOUR) {
      await step.go(page, `http://localhost:${service.port}`)
      if (!isWriting) continue
      await page.waitForTimeout(500)
      if (step.name !== null)
        writeFileSync(fileOf(step, colorScheme), encodePng(decodePng(await page.screenshot())))
      if (colorScheme !== "light") continue
      await caption(page, step.caption)
      frames.push({ picture: decodePng(await page.screenshot()), ms: step.ms })
      await caption(page, null)
    }
    await looks.close()
  }
  if (isWriting) writeFileSync(MOVING, encodeApng(frames))
})

test("the pictures are there, of one size and small, and the README and the tour show them", () => {
  const tour = readFileSync(join(root, "docs/tour.md"), "utf8")
  for (const step of TOUR.filter(({ name }) => name !== null))
    for (const theme of THEMES) {
      const file = fileOf(step, theme)
      assert.ok(existsSync(file), file)
      assert.ok(statSync(file).size < 200_000, `${file} has ${statSync(file).size} bytes`)
      assert.ok(tour.includes(`images/${step.name}-${theme}.png`), `docs/tour.md lacks ${file}`)
    }
  const readme = readFileSync(join(root, "README.md"), "utf8")
  assert.match(readme, /docs\/images\/tour\.png/)
  assert.match(readme, /docs\/images\/tour-address-dark\.png/)
  assert.match(readme, /docs\/tour\.md/)
})

test("the moving picture lasts forty seconds and has less than 2 MB", () => {
  const bytes = readFileSync(MOVING)
  assert.ok(bytes.length < 2_000_000, String(bytes.length))
  const frames = [...chunksOf(bytes)].filter(({ type }) => type === "fcTL")
  assert.equal(frames.length, TOUR.length)
  const ms = frames.reduce((sum, { data }) => sum + data.readUInt16BE(20), 0)
  assert.equal(ms, 40_000)
})

test("a picture is written with a palette, and a moving one holds only what changed", () => {
  const pixels = Uint32Array.from({ length: 12 }, (_, n) => (n * 0x151515) & 0xffffff)
  const picture: Picture = { width: 4, height: 3, pixels }
  const header = [...chunksOf(encodePng(picture))].map(({ type }) => type)
  assert.deepEqual(header, ["IHDR", "PLTE", "IDAT", "IEND"])
  const other = { ...picture, pixels: pixels.with(5, 0xffffff) }
  const moving = [
    ...chunksOf(encodeApng([picture, other].map((each) => ({ picture: each, ms: 20 })))),
  ]
  const [, second] = moving.filter(({ type }) => type === "fcTL")
  assert.deepEqual(
    [4, 8, 12, 16].map((at) => second?.data.readUInt32BE(at)),
    [1, 1, 1, 1],
  )
})
