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
import { memberOf } from "./console-member.ts"
import { PAIRS, PHONE, WIDE } from "./console-pages.ts"
import { useCookies } from "./cookies.ts"
import { PICTURES, screenshot } from "./screenshot.ts"
import { closePages, sharedChromium } from "./shared-chromium.ts"

export const root = resolve(import.meta.dirname, "../..")
/** For a person to look at after a run. */
export const screenshots = join(root, "tmp/screenshots/console")
mkdirSync(screenshots, { recursive: true })

export { overflow, PAIRS, PHONE, WIDE }

interface First {
  /** What a file of tests starts before the service; returns settings that the service gets. */
  readonly start?: () => Promise<Record<string, string>>
  /** Where the service keeps its data; a directory of its own unless given. */
  readonly dataDirectory?: string
}
export let service: Service
export let origin: string
let browser: Browser | null

/**
 * Starts a service and a browser for the tests of the file that calls this, which may share its
 * process with others.
 */
export function useConsole({ start = async () => ({}), dataDirectory }: First = {}): void {
  before(async () => {
    const env = await start()
    ;[service, browser] = await Promise.all([
      startService({
        args: ["--workers", "1"],
        env: { ASSAY_SSF_ORIGIN: "http://localhost", ...env },
        ...(dataDirectory !== undefined && { dataDirectory }),
      }),
      sharedChromium(),
    ])
    origin = `http://localhost:${service.port}`
  })
  afterEach(leave)
  after(async () => {
    left.length = 0
    await closePages(browser)
    await service.stop()
  })
}

export interface Watched {
  readonly context: BrowserContext
  readonly page: Page
  /** What a person would not see: errors, and requests that left the machine. */
  readonly faults: string[]
}

interface Window extends Pick<Watched, "context" | "page"> {
  faults: string[]
  /** Opened as all are that ask for nothing special. */
  readonly isUsual: boolean
}

/** Those of the test that runs. */
const used: Window[] = []
/** Those that the next test may go on in. */
const left: Window[] = []

/** A window of somebody who was never here, or who is signed in and does not know the pages yet. */
export async function open(options: BrowserContextOptions = {}, as?: Visitor): Promise<Watched> {
  const isUsual = Object.keys(options).length === 0
  const window = (isUsual ? left.pop() : undefined) ?? (await newWindow(options, isUsual))
  used.push(window)
  const { context, page } = window
  if (as !== undefined) await useCookies(context, service.port, as.cookies)
  return { context, page, faults: (window.faults = []) }
}

async function newWindow(options: BrowserContextOptions, isUsual: boolean): Promise<Window> {
  assert.ok(browser !== null)
  const context = await browser.newContext({ viewport: WIDE, ...options })
  const window: Window = { context, page: await context.newPage(), faults: [], isUsual }
  // Of every page of this browser, those for pictures among them.
  context.on("weberror", (error) => window.faults.push(error.error().message))
  context.on("console", (message) => {
    // A browser reports every answer that is a refusal; that nobody is signed in is one.
    const isSession = message.location().url.endsWith("/api/v1/session")
    if (message.type() === "error" && !isSession) window.faults.push(message.text())
  })
  context.on("request", (request) => {
    const { origin: asked, protocol } = new URL(request.url())
    if (protocol !== "data:" && protocol !== "blob:" && asked !== origin)
      window.faults.push(`asked ${asked}`)
  })
  return window
}

/**
 * After a test its usual windows are emptied, and others closed: a page that stays open goes on
 * asking, and drawing what it is told. In an emptied one the console's scripts need not be compiled
 * again, which is most of what loading them takes.
 */
async function leave(): Promise<void> {
  for (const window of used.splice(0)) {
    const { context, page, isUsual } = window
    const [first, ...others] = context.pages()
    // What a worker did may arrive after it was taken away.
    if (isUsual && first === page && context.serviceWorkers().length === 0) {
      for (const other of others) await other.close()
      await empty(window)
      left.push(window)
    } else await context.close()
  }
}

/** Takes everything from a window that somebody left in it. */
async function empty({ context, page }: Window): Promise<void> {
  await page.unrouteAll({ behavior: "ignoreErrors" })
  await context.unrouteAll({ behavior: "ignoreErrors" })
  // A page of the same origin, for which the browser keeps the process, and which asks for nothing.
  await page.goto(`${origin}/healthz`)
  await page.evaluate("sessionStorage.clear()")
  await context.clearCookies()
  const devtools = await context.newCDPSession(page)
  await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" })
  await devtools.detach()
  await showAs(page, PAIRS[0])
  await page.mouse.move(0, 0)
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

/**
 * Goes to another page as a link to it does, without loading the app again, and waits until it is
 * drawn.
 */
export async function follow(page: Page, path: string): Promise<void> {
  // Two frames later the page from before is gone.
  await page.evaluate(`(async () => {
    history.pushState(null, "", ${JSON.stringify(path)})
    for (let n = 0; n < 2; n++) await new Promise((resolve) => requestAnimationFrame(resolve))
  })()`)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await drawn(page)
}

/**
 * Presses keys until something is there: a page may still be busy when they come. They are pressed
 * again only long after, since a second press may undo the first.
 */
export async function pressUntil(page: Page, keys: string, wanted: Locator): Promise<void> {
  for (let n = 0; n < 20 && !(await wanted.isVisible()); n++) {
    await page.keyboard.press(keys)
    // Not there yet: pressed again, and in the end waited for below, where it fails.
    await wanted.waitFor({ timeout: 5_000 }).catch(() => null)
  }
  await wanted.waitFor()
}

interface Looks {
  /** What axe looks for in the first theme and width; in the others only for what differs. */
  readonly rules?: readonly string[]
  readonly fullPage?: boolean
  /** No table may have a part that is out of sight until it is scrolled sideways. */
  readonly wholeTables?: boolean
}

/** A page as it stands, in every theme and width. */
export async function looks(page: Page, name: string, options: Looks = {}): Promise<void> {
  for (const pair of PAIRS) {
    await showAs(page, pair)
    // Charts learn of another width a moment later.
    for (let n = 0; n < 40 && (await overflow(page)) > 0; n++) await page.waitForTimeout(50)
    await holds(page, name, pair, pair === PAIRS[0] ? options : { ...options, rules: LOOKS })
  }
  await showAs(page, ["light", "wide"])
}

/** A page as it is when somebody opens it now, in every theme and width. */
export async function looksOpened(
  context: BrowserContext,
  path: string,
  name: string,
): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${origin}/console/${path}`)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await drawn(page)
  await looks(page, `${name}-${path}`, { wholeTables: true })
  await page.close()
}

type Pair = (typeof PAIRS)[number]

export async function showAs(page: Page, [colorScheme, width]: Pair): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize(width === "wide" ? WIDE : PHONE)
}

async function scrolledTables(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(
    `[...document.querySelectorAll(".table-wrap")]
      .filter((table) => table.checkVisibility() && table.scrollWidth > table.clientWidth)
      .map((table) => table.getAttribute("aria-label") ?? "")`,
  )
}

/**
 * Values of tables that have the title of their column in the same line, as if it were one word.
 */
export async function titledInLine(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(
    `[...document.querySelectorAll(".table-wrap td")]
      .filter((cell) => {
        const { content, display } = getComputedStyle(cell, "::before")
        return content !== "none" && display !== "block"
      })
      .map((cell) => cell.textContent)`,
  )
}

/**
 * A picture of a page on a screen as high as the page: on a lower one the bar at the foot of a
 * phone hides a part of it.
 */
async function wholePicture(page: Page, path: string): Promise<void> {
  const screen = page.viewportSize()
  if (!PICTURES || screen === null) return
  const height = await page.evaluate<number>("document.documentElement.scrollHeight")
  await page.setViewportSize({ ...screen, height: Math.max(screen.height, height) })
  await screenshot(page, path)
  await page.setViewportSize(screen)
}

/**
 * What axe finds by these rules, fonts and overflow are held; the rest is for a person to look at.
 */
export async function holds(
  page: Page,
  name: string,
  [colorScheme, width]: Pair,
  { rules = LOOKS, fullPage = true, wholeTables = false }: Looks = {},
): Promise<void> {
  const shown = `${name} ${colorScheme} ${width}`
  assert.deepEqual(await violations(page, rules), [], shown)
  assert.deepEqual(await otherFonts(page), [], shown)
  assert.ok((await overflow(page)) <= 0, `${name} is wider than a ${width} screen`)
  assert.deepEqual(await titledInLine(page), [], shown)
  if (wholeTables) assert.deepEqual(await scrolledTables(page), [], shown)
  const path = join(screenshots, `${name}-${colorScheme}-${width}.png`)
  if (fullPage) await wholePicture(page, path)
  else await screenshot(page, path, { fullPage })
}
