// A service and a browser for the tests of a file, and how they look at pages. Any error on a
// browser's console, a refused script or style among them, is a fault.
import assert from "node:assert/strict"
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { after, afterEach, before } from "node:test"
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core"
import { type Service, startService } from "../http/service.ts"
import type { Visitor } from "../http/signed-in.ts"
import { LOOKS, otherFonts, overflow, violations } from "./accessibility.ts"
import { openChromium } from "./chromium.ts"
import { memberOf } from "./console-member.ts"
import { PAIRS, PHONE, WIDE } from "./console-pages.ts"
import { useCookies } from "./cookies.ts"
import { screenshot } from "./screenshot.ts"

export const root = resolve(import.meta.dirname, "../..")
/** For a person to look at after a run. */
export const screenshots = join(root, "tmp/screenshots/console")
mkdirSync(screenshots, { recursive: true })

export { overflow, PAIRS, PHONE, WIDE }

export let service: Service
export let origin: string
export let browser: Browser | null
before(async () => {
  ;[service, browser] = await Promise.all([
    startService({ args: ["--workers", "1"] }),
    openChromium(),
  ])
  origin = `http://localhost:${service.port}`
})
// A page that stays open goes on asking, and drawing what it is told.
afterEach(async () => {
  for (const each of browser?.contexts() ?? []) await each.close()
})
after(async () => {
  await browser?.close()
  await service.stop()
})

export interface Watched {
  readonly context: BrowserContext
  readonly page: Page
  /** What a person would not see: errors, and requests that left the machine. */
  readonly faults: string[]
}

export async function open(options: BrowserContextOptions = {}, as?: Visitor): Promise<Watched> {
  assert.ok(browser !== null)
  const context = await browser.newContext({ viewport: WIDE, ...options })
  if (as !== undefined) await useCookies(context, service.port, as.cookies)
  const faults: string[] = []
  // Of every page of this browser, those for pictures among them.
  context.on("weberror", (error) => faults.push(error.error().message))
  context.on("console", (message) => {
    // A browser reports every answer that is a refusal; that nobody is signed in is one.
    const isSession = message.location().url.endsWith("/api/v1/session")
    if (message.type() === "error" && !isSession) faults.push(message.text())
  })
  context.on("request", (request) => {
    const { origin: asked, protocol } = new URL(request.url())
    if (protocol !== "data:" && protocol !== "blob:" && asked !== origin)
      faults.push(`asked ${asked}`)
  })
  return { context, page: await context.newPage(), faults }
}

/** Somebody new in the demo's tenant, or of the service. */
export async function member(role: string): Promise<Visitor> {
  return await memberOf(service, role)
}

/** Waits until no part of a page waits for the service. */
export async function drawn(page: Page): Promise<void> {
  const loading = page.getByRole("status").filter({ hasText: "Loading" })
  while ((await loading.count()) > 0) await page.waitForTimeout(50)
}

/** Presses keys until something is there: a page may still be busy when they come. */
export async function pressUntil(page: Page, keys: string, wanted: Locator): Promise<void> {
  for (let n = 0; n < 100 && !(await wanted.isVisible()); n++) {
    await page.keyboard.press(keys)
    await page.waitForTimeout(200)
  }
  await wanted.waitFor()
}

/** A page as it stands, in every theme and width. Contrast and overflow are held. */
export async function looks(page: Page, name: string, { fullPage = true } = {}): Promise<void> {
  for (const [colorScheme, width] of PAIRS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(width === "wide" ? WIDE : PHONE)
    // Charts learn of another width a moment later.
    for (let n = 0; n < 40 && (await overflow(page)) > 0; n++) await page.waitForTimeout(50)
    assert.ok((await overflow(page)) <= 0, `${name} is wider than a ${width} screen`)
    let found = await violations(page, LOOKS)
    // A dialog fades in, and its letters are pale until it has.
    for (let n = 0; n < 5 && found.length > 0; n++) {
      await page.waitForTimeout(200)
      found = await violations(page, LOOKS)
    }
    assert.deepEqual(found, [], `${name} ${colorScheme} ${width}`)
    const file = `${name}-${colorScheme}-${width}.png`
    await screenshot(page, join(screenshots, file), { fullPage })
  }
  await page.emulateMedia({ colorScheme: "light" })
  await page.setViewportSize(WIDE)
}

/** Tables of which a part is out of sight until they are scrolled sideways. */
async function scrolledTables(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(
    `[...document.querySelectorAll(".table-wrap")]
      .filter((table) => table.checkVisibility() && table.scrollWidth > table.clientWidth)
      .map((table) => table.getAttribute("aria-label") ?? "")`,
  )
}

/** Contrast, fonts and overflow are held; the rest is for a person to look at. */
export async function pictures(
  context: BrowserContext,
  own: readonly string[],
  role: string,
): Promise<void> {
  const page = await context.newPage()
  for (const [colorScheme, name] of PAIRS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(name === "wide" ? WIDE : PHONE)
    for (const path of own) {
      await page.goto(`${origin}/console/${path}`)
      await page.getByRole("heading", { level: 1 }).waitFor()
      await drawn(page)
      assert.deepEqual(await violations(page, LOOKS), [], `${path} ${colorScheme} ${name}`)
      assert.deepEqual(await otherFonts(page), [], `${path} ${colorScheme} ${name}`)
      assert.ok((await overflow(page)) <= 0, `${path} is wider than a ${name} screen`)
      assert.deepEqual(await scrolledTables(page), [], `${path} ${name}`)
      const file = `${role}-${path}-${colorScheme}-${name}.png`
      await screenshot(page, join(screenshots, file))
    }
  }
}
