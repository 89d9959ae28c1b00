// A service and Firefox in both themes for the tests of a file, and a person at its pages.
import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { after, afterEach, before } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
import type { Browser, ElementHandle, KeyInput, Page } from "puppeteer-core"
import { type Service, startService } from "../http/service.ts"
import type { Visitor } from "../http/signed-in.ts"
import { memberOf } from "./console-member.ts"
import { PHONE, WIDE } from "./console-pages.ts"
import { ask, watchInFirefox } from "./firefox-visitor.ts"
import { openFirefox, whyNoFirefox } from "./firefox.ts"

/** For a person to look at after a run. */
export const screenshots = resolve(import.meta.dirname, "../../tmp/screenshots/console-firefox")

/**
 * What a page is told of the system's theme. WebDriver can set it from Firefox 159 on, which is
 * newer than the ESR: until then each theme has a browser that is set to it.
 */
const THEMES = { dark: 0, light: 1 } as const
const TOLD = "layout.css.prefers-color-scheme.content-override"

export let service: Service
export let origin: string
let folder: string
const browsers = new Map<string, Browser>()

before(async () => {
  if (whyNoFirefox() !== null) return
  mkdirSync(screenshots, { recursive: true })
  folder = mkdtempSync(join(tmpdir(), "assay-console-firefox-"))
  service = await startService({ drop: true, args: ["--workers", "1"] })
  origin = `http://localhost:${service.port}`
  // Nobody else can be of a tenant before it has an owner.
  await memberOf(service, "owner")
  for (const [theme, value] of Object.entries(THEMES)) {
    const browser = await openFirefox({ [TOLD]: value })
    if (browser !== null) browsers.set(theme, browser)
  }
})
// A page that stays open goes on asking, and drawing what it is told.
afterEach(async () => {
  for (const browser of browsers.values())
    for (const each of browser.browserContexts())
      if (each !== browser.defaultBrowserContext()) await each.close()
})
after(async () => {
  if (whyNoFirefox() !== null) return
  for (const browser of browsers.values()) await browser.close()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

export function firefox(theme: keyof typeof THEMES = "light"): Browser {
  const browser = browsers.get(theme)
  assert.ok(browser !== undefined)
  return browser
}

export interface Opened {
  readonly page: Page
  /** Requests to anywhere else, broken rules of the policy, faults of scripts, refused requests. */
  readonly faults: string[]
  /** For files to give to the page, and those that it gives. */
  readonly folder: string
}

/** A page of somebody who is signed in, or of nobody. */
export async function open(
  as: Visitor | null,
  theme: keyof typeof THEMES = "light",
  width: "wide" | "phone" = "wide",
): Promise<Opened> {
  const downloadPath = mkdtempSync(join(folder, "visit-"))
  const context = await firefox(theme).createBrowserContext({
    downloadBehavior: { policy: "allow", downloadPath },
  })
  const flags = { domain: "localhost", path: "/", secure: true, httpOnly: true } as const
  for (const [name, value] of as?.cookies ?? [])
    await context.setCookie({ name, value, sameSite: "Strict", ...flags })
  const page = await context.newPage()
  await page.setViewport(width === "wide" ? WIDE : PHONE)
  const faults = await watchInFirefox(page, origin)
  // Other browsers report these as errors. That nobody is signed in is one.
  page.on("response", (response) => {
    const { pathname } = new URL(response.url(), origin)
    if (response.status() >= 400 && pathname !== "/api/v1/session")
      faults.push(`${response.status()} ${pathname}`)
  })
  return { page, faults, folder: downloadPath }
}

/** What is not there by then is not coming, however busy the machine is. */
const PATIENCE_MS = 120_000

/** Asks again until something is true. */
export async function until(isTrue: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const endsAt = performance.now() + PATIENCE_MS
  while (!(await isTrue())) {
    assert.ok(performance.now() < endsAt, `in vain: ${what}`)
    await delay(50)
  }
}

/** The selector of what a screen reader calls by this name, with this role where one is given. */
export const called = (name: string, role?: string): string =>
  `aria/${name}${role === undefined ? "" : `[role="${role}"]`}`

export async function find(page: Page, selector: string): Promise<ElementHandle> {
  await until(async () => (await page.$(selector)) !== null, `${selector} comes`)
  const found = await page.$(selector)
  assert.ok(found !== null, `${selector} came and went`)
  return found
}

export async function gone(page: Page, selector: string): Promise<void> {
  await until(async () => (await page.$(selector)) === null, `${selector} goes`)
}

export async function click(page: Page, selector: string): Promise<void> {
  await (await find(page, selector)).click()
}

/** Types into a field in place of what it held. */
export async function fill(page: Page, selector: string, text: string): Promise<void> {
  await (await find(page, selector)).click({ count: 3 })
  await page.keyboard.type(text)
}

/** The text that a person reads. */
export async function readable(page: Page, selector = "body"): Promise<string> {
  return String(await ask(page, selector, `element?.innerText ?? ""`))
}

export async function reads(page: Page, text: RegExp | string, selector = "body"): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    const read = await readable(page, selector)
    return typeof text === "string" ? read.includes(text) : text.test(read)
  }
  await until(isThere, `${selector} reads ${String(text)}`)
}

/**
 * Holds all keys but the last while that is pressed, as often as it takes until something is there.
 */
export async function pressUntil(
  page: Page,
  keys: readonly KeyInput[],
  wanted: string,
): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    if ((await page.$(wanted)) !== null) return true
    const held = keys.slice(0, -1)
    for (const key of held) await page.keyboard.down(key)
    await page.keyboard.press(keys.at(-1) ?? "Enter")
    for (const key of held) await page.keyboard.up(key)
    await delay(200)
    return false
  }
  await until(isThere, `${keys.join("+")} brings ${wanted}`)
}

/** Waits until a page has its title and no part of it waits for the service. */
export async function drawn(page: Page): Promise<string> {
  const isDrawn = `document.querySelector("h1") !== null &&
    [...document.querySelectorAll("[role=status]")].every(({ textContent }) => !textContent.includes("Loading"))`
  await until(async () => (await page.evaluate(isDrawn)) === true, "the page is drawn")
  return await readable(page, "h1")
}
