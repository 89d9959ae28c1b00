import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { test } from "node:test"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import type { Locale, PageFiles } from "../../packages/drop/src/pages/page-input.ts"
import { everyPage } from "../../packages/drop/testing/pages/test-pages.ts"
import { LOOKS, violations } from "./accessibility.ts"
import { screenshot } from "./screenshot.ts"
import { launchChromium } from "./shared-chromium.ts"

const root = resolve(import.meta.dirname, "../..")
const style = readFileSync(join(root, "packages/drop/src/browser/style.css"), "utf8")

const screenshots = join(root, "tmp/screenshots/drop")
mkdirSync(screenshots, { recursive: true })

const PHONE = { width: 320, height: 640 }
const DESKTOP = { width: 1280, height: 900 }

/**
 * The real style under its real hash, and no script: these are the pages as they are without one.
 */
const files: PageFiles = {
  get: (name) => ({
    path: `/drop/files/${name}`,
    integrity: `sha384-${createHash("sha384").update(style).digest("base64")}`,
  }),
}

/**
 * One page of each kind stands for all: the others have the same heading, sentences and link, or
 * differ only in what was typed.
 */
const ALIKE =
  /^(refusal-(?!503)|sent-one-way|sent-follow-up|confirmed|replies-deleted|replies-none|withdrawn|withdraw$|presealed-sent|presealed-wrapped|presealed$|not-found)/

function pagesOf(locale: Locale): Map<string, string> {
  const pages = [...everyPage(locale, { files })]
  return new Map(
    pages.filter(([name]) => process.env.ASSAY_SOAK !== undefined || !ALIKE.test(name)),
  )
}

/** Opens pages by name in a context of their own; nothing is asked of any network. */
async function opener(
  browser: Browser,
  locale: Locale,
  options: BrowserContextOptions,
): Promise<(name: string) => Promise<Page>> {
  const pages = pagesOf(locale)
  const page = await (await browser.newContext(options)).newPage()
  await page.route("**/*", async (route) => {
    const path = new URL(route.request().url()).pathname
    const body = pages.get(path.slice("/drop/".length))
    if (path === "/drop/files/style") await route.fulfill({ contentType: "text/css", body: style })
    else if (body === undefined) await route.abort()
    else await route.fulfill({ contentType: "text/html; charset=utf-8", body })
  })
  return async (name) => {
    await page.goto(`http://drop.test/drop/${name}`, { waitUntil: "load" })
    return page
  }
}

/** A page that loads itself again would do so in the midst of another that is written over it. */
const LOADS_AGAIN = /<meta http-equiv="?refresh/

/**
 * Opens one page and writes the others over it, as if each were loaded: what axe is given once
 * stays in the document, and is not compiled anew for every page.
 */
async function writer(
  browser: Browser,
  locale: Locale,
  options: BrowserContextOptions,
): Promise<(name: string) => Promise<Page>> {
  const pages = pagesOf(locale)
  const open = await opener(browser, locale, options)
  let page: Page | null = null
  return async (name) => {
    const html = pages.get(name) ?? ""
    const loadsAgain = LOADS_AGAIN.test(html)
    if (page === null || loadsAgain) {
      const opened = await open(name)
      page = loadsAgain ? null : opened
      return opened
    }
    await page.setContent(html, { waitUntil: "load" })
    return page
  }
}

/** A computed property of the first element that matches. */
async function looks(page: Page, selector: string, property: string): Promise<string> {
  return await page.evaluate(
    `getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(property)}]`,
  )
}

async function overflow(page: Page): Promise<number> {
  return await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  )
}

/** Ids, or words where there is none, of what the Tab key reaches, in its order. */
async function tabOrder(page: Page): Promise<string[]> {
  const order: string[] = []
  for (;;) {
    await page.keyboard.press("Tab")
    const at = await page.evaluate<string>(
      "document.activeElement === document.body ? '' : document.activeElement.id || document.activeElement.textContent.trim()",
    )
    if (at === "" || order.includes(at)) return order
    order.push(at)
  }
}

// One browser for all tests: starting one takes longer than most of them.
test("T53, T21: the sender's pages in a real browser", async (context) => {
  const browser = await launchChromium(context)
  if (browser === null) return

  for (const locale of ["en", "ar"] as const) {
    await context.test(
      `every page in ${locale} is accessible on a phone and on a desk, and no wider than either`,
      async () => {
        const write = await writer(browser, locale, { viewport: PHONE })
        for (const name of pagesOf(locale).keys()) {
          const page = await write(name)
          const found = await violations(page)
          // The waiting page exists to be loaded again; it holds one sentence and nothing that
          // could be lost.
          const wrong = found.filter((each) => name !== "busy" || !each.startsWith("meta-refresh"))
          assert.deepEqual(wrong, [], name)
          assert.ok((await overflow(page)) <= 0, `${name} is wider than a phone`)
          assert.equal(await page.locator("h1:visible").count(), 1, name)
          const seen = ["form-faulty", "sent-two-way", "replies-shown"].includes(name)
          if (seen) await picture(page, `${locale}-phone-${name}`)
          await page.setViewportSize(DESKTOP)
          assert.deepEqual(await violations(page, LOOKS), [], name)
          assert.ok((await overflow(page)) <= 0, `${name} is wider than a desk`)
          if (seen) await picture(page, `${locale}-desk-${name}`)
          await page.setViewportSize(PHONE)
        }
      },
    )
  }

  await context.test(
    "what the script shows later is accessible too, in light and in dark",
    async () => {
      const open = await opener(browser, "en", { viewport: PHONE })
      for (const name of ["form", "replies"]) {
        const page = await open(name)
        await page.evaluate(`for (const element of document.querySelectorAll("main [hidden], details")) {
        element.hidden = false
        element.open = true
        if (element.textContent === "" && element.tagName === "P") element.textContent = "Said by the script."
      }
      document.querySelector("#progress-text").textContent = "Sending: 50 %"`)
        assert.deepEqual(await violations(page), [], name)
        assert.ok((await overflow(page)) <= 0, name)
        await page.emulateMedia({ colorScheme: "dark" })
        assert.deepEqual(await violations(page, LOOKS), [], `${name} in dark`)
        await picture(page, `dark-${name}`)
        await page.emulateMedia({ colorScheme: "light" })
      }
    },
  )

  await context.test(
    "the keyboard reaches every field in the order of reading, and never the field for machines",
    async () => {
      for (const locale of ["en", "ar"] as const) {
        const open = await opener(browser, locale, { viewport: DESKTOP })
        const order = await tabOrder(await open("form"))
        const fields = [
          "message",
          "mode-two-way",
          ...["files", "untouched-1", "files-2", "untouched-2", "files-3", "untouched-3"],
          "names",
          "question",
          "send",
        ]
        assert.deepEqual(
          order.filter((id) => fields.includes(id)),
          fields,
        )
        assert.ok(!order.includes("website"))
        // The skip link, four other languages, the onion address, more about it, and five pages
        // below.
        assert.equal(order.length, fields.length + 12)
        const faulty = await open("form-faulty")
        // A browser sets the first focus when it draws, which may be after it has loaded.
        await faulty.locator("#form-fault:focus").waitFor()
        const sent = await tabOrder(await open("sent-two-way"))
        const parts = ["word-4", "word-9", "write-again", "withdraw-now", "done"]
        assert.deepEqual(
          sent.filter((id) => parts.includes(id)),
          parts,
        )
      }
    },
  )

  await context.test(
    "whatever has the focus is framed, also in forced colours, where fields and buttons keep their edges",
    async () => {
      const open = await opener(browser, "en", { viewport: PHONE })
      const page = await open("form-faulty")
      for (const forcedColors of ["none", "active"] as const) {
        await page.emulateMedia({ forcedColors })
        for (const id of ["message", "files", "untouched-2", "names", "question", "send"]) {
          // By key, since a frame is for those who use keys.
          await page.locator(`#${id}`).focus()
          await page.keyboard.press("Shift")
          const frame = parseFloat(await looks(page, ":focus-visible", "outlineWidth"))
          assert.ok(frame >= 2, `${id} has a frame of ${frame} px`)
        }
        for (const selector of ["#message", "#question", "#send", "#message-fault", ".note"]) {
          const edge = parseFloat(await looks(page, selector, "borderInlineStartWidth"))
          assert.ok(edge >= 2, `${selector} has an edge of ${edge} px`)
        }
        await picture(page, `forced-${forcedColors}`)
      }
      assert.deepEqual(await violations(page, LOOKS), [])
    },
  )

  await context.test(
    "at twice the size, and with letters alone at twice the size, nothing is cut off sideways",
    async () => {
      const open = await opener(browser, "en", { viewport: { width: 640, height: 450 } })
      for (const name of ["form-faulty", "sent-two-way", "presealed-faulty", "hashes"]) {
        const page = await open(name)
        assert.ok((await overflow(page)) <= 0, name)
        await page.evaluate(`document.documentElement.style.fontSize = "200%"`)
        assert.ok((await overflow(page)) <= 0, `${name} with large letters`)
      }
    },
  )

  await context.test(
    "in Arabic the page is mirrored, while a code reads from left to right",
    async () => {
      const open = await opener(browser, "ar", { viewport: DESKTOP })
      const page = await open("sent-two-way")
      assert.equal(await looks(page, "main", "direction"), "rtl")
      assert.equal(await looks(page, "#code-words", "direction"), "ltr")
      assert.equal(await looks(page, ".note", "borderRightWidth"), "4px")
      assert.equal(await looks(page, ".note", "borderLeftWidth"), "0px")
      const fourth = await page.locator("#word-4").boundingBox()
      const ninth = await page.locator("#word-9").boundingBox()
      assert.ok(fourth !== null && ninth !== null && fourth.x > ninth.x)
      assert.equal(await page.locator("#code-words li").first().innerText(), "0001")
    },
  )

  await context.test(
    "without a script a page shows what is true without one, and nothing that waits for it",
    async () => {
      const open = await opener(browser, "en", { viewport: PHONE, javaScriptEnabled: false })
      const form = await open("form")
      assert.ok(await form.locator("#no-script-note").isVisible())
      assert.ok(await form.locator("#send").isEnabled())
      for (const id of [
        "sent",
        "progress",
        "failure",
        "files-report",
        "effort-field",
        "message-fault",
      ])
        assert.ok(await form.locator(`#${id}`).isHidden(), id)
      const replies = await open("replies")
      assert.ok(await replies.locator("#no-script-code-note").isVisible())
      for (const id of ["replies", "sent"])
        assert.ok(await replies.locator(`#${id}`).isHidden(), id)
    },
  )
})

/** For a person to look at after a run. */
async function picture(page: Page, name: string): Promise<void> {
  await screenshot(page, join(screenshots, `${name}.png`))
}
