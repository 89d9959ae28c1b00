import assert from "node:assert/strict"
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { after, before, test } from "node:test"
import type { Browser, Page } from "playwright-core"
import { type Service, startService } from "../http/service.ts"
import { LOOKS, overflow, violations } from "./accessibility.ts"
import { isPresent } from "./chromium.ts"
import { screenshot } from "./screenshot.ts"
import { closePages, sharedChromium } from "./shared-chromium.ts"

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

/** For a person to look at after a run. */
const screenshots = resolve(import.meta.dirname, "../../tmp/screenshots")
mkdirSync(screenshots, { recursive: true })

/**
 * Opens an empty page and collects what a person would not see: requests that left the machine,
 * script errors.
 */
async function open(
  browser: Browser,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<{ page: Page; outside: string[]; errors: string[] }> {
  const page = await (await browser.newContext(options)).newPage()
  const outside: string[] = []
  const errors: string[] = []
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== "data:" && origin !== new URL(service.baseUrl).origin)
      outside.push(request.url())
  })
  page.on("response", (response) => {
    if (response.status() >= 400)
      void response.text().then((body) => errors.push(`${response.url()} ${body}`))
  })
  page.on("pageerror", (error) => errors.push(error.message))
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()))
  return { page, outside, errors }
}

async function goes(page: Page, path: string): Promise<void> {
  await page.goto(service.baseUrl + path, { waitUntil: "networkidle" })
}

test("the front page and the problem pages are readable, accessible and self-contained, in light and dark, on a phone, without JavaScript", async (context) => {
  if (!isPresent(context) || browser === null) return
  const { page, outside, errors } = await open(browser, { colorScheme: "light" })
  const { page: plain } = await open(browser, { javaScriptEnabled: false })
  const wide = page.viewportSize() ?? assert.fail("the page has no size")
  for (const path of [
    "/",
    "/problems",
    "/problems/not-an-email",
    "/event-types",
    "/event-types/exposure.added",
  ]) {
    await page.emulateMedia({ colorScheme: "light" })
    await page.setViewportSize(wide)
    await goes(page, path)
    await page.locator("h1").waitFor()
    // As it stands: what differs by theme and width is style, and no script is asked again.
    for (const [name, colorScheme, size] of [
      ["light", "light", wide],
      ["dark", "dark", wide],
      ["phone", "light", { width: 320, height: 640 }],
      ["phone-dark", "dark", { width: 320, height: 640 }],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(size)
      // Charts learn of another width a moment later.
      for (let n = 0; n < 40 && (await overflow(page)) > 0; n++) await page.waitForTimeout(50)
      const wider = await overflow(page)
      assert.ok(wider <= 0, `${path} is ${wider} px wider than a ${name} screen`)
      assert.deepEqual(await violations(page, name === "light" ? undefined : LOOKS), [])
      await screenshot(page, join(screenshots, `${path.replaceAll("/", "_")}-${name}.png`))
    }
    assert.deepEqual(outside, [])
    assert.deepEqual(errors, [])
    await goes(plain, path)
    await plain.locator("h1").waitFor()
  }
})

test("the API reference renders both operations, scores through its own form, and asks nobody else", async (context) => {
  if (!isPresent(context) || browser === null) return
  const { page, outside, errors } = await open(browser, { viewport: { width: 1200, height: 1000 } })
  await goes(page, "/docs")
  await page.getByText("/api/v1/risk/score").first().waitFor()
  await page.getByText("/api/v1/phone-risk").first().waitFor()
  // It follows the theme of the machine while it is open, and fits on a phone.
  for (const [colorScheme, ground] of [
    ["dark", "rgb(28, 32, 34)"],
    ["light", "rgb(250, 250, 250)"],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    for (const [name, width, height] of [
      ["phone", 375, 812],
      ["wide", 1200, 1000],
    ] as const) {
      await page.setViewportSize({ width, height })
      const shown = `${colorScheme} ${name}`
      // A script of the page hears of another theme a moment later.
      const shownGround = (): Promise<string> =>
        page.evaluate("getComputedStyle(document.body).backgroundColor")
      for (let n = 0; n < 200 && (await shownGround()) !== ground; n++)
        await page.waitForTimeout(50)
      assert.equal(await shownGround(), ground, shown)
      const wider = await overflow(page)
      assert.ok(wider <= 0, `the reference is ${wider} px too wide: ${shown}`)
      const file = join(screenshots, `docs-${colorScheme}-${name}.png`)
      await screenshot(page, file, { fullPage: false })
    }
  }

  // The demo has its key filled in, and says where others are made.
  await page.getByRole("button", { name: "Authorize" }).first().click()
  const keyForm = page.locator(".auth-container", { hasText: "apiKey" }).first()
  await keyForm.getByText("Authorized", { exact: true }).waitFor()
  assert.equal(
    await keyForm.getByRole("link", { name: "the page of keys" }).getAttribute("href"),
    "/console/keys",
  )
  await keyForm.locator(".auth-btn-wrapper .btn-done").click()
  await page.locator("#operations-Score-scoreEmail .opblock-summary-control").click()
  await page.getByRole("button", { name: "Try it out" }).click()
  await page.getByRole("button", { name: "Execute" }).click()
  await page.locator(".live-responses-table .response-col_status", { hasText: "200" }).waitFor()
  await screenshot(page, join(screenshots, "docs-tried.png"))
  assert.match(await page.locator(".live-responses-table").innerText(), /risk_score/)
  assert.deepEqual(outside, [])
  assert.deepEqual(errors, [])
})
