// A person at a page in Firefox with the keyboard alone. Where scripts are off the driver's own
// clicks and waits never end: they need callbacks in the page, which then never come.
import assert from "node:assert/strict"
import type { Browser, HTTPRequest, HTTPResponse, Page } from "puppeteer-core"

// A busy machine works on a proof, or on a large message, for minutes.
const WAIT_MS = 600_000

export interface FirefoxVisitor {
  readonly page: Page
  readonly requests: readonly HTTPRequest[]
  /** Requests to anywhere else, broken rules of the policy, cookies, faults of scripts. */
  readonly wrong: readonly string[]
}

export async function visitInFirefox(browser: Browser, url: string): Promise<FirefoxVisitor> {
  const page = await browser.newPage()
  page.setDefaultTimeout(WAIT_MS)
  const requests: HTTPRequest[] = []
  page.on("request", (request) => requests.push(request))
  const wrong = await watchInFirefox(page, new URL(url).origin)
  page.on("response", (response) => {
    if (response.headers()["set-cookie"] !== undefined) wrong.push(`cookie: ${response.url()}`)
  })
  await page.goto(url)
  return { page, requests, wrong }
}

/**
 * Collects what no page of ours may do: requests to anywhere else, broken rules of the policy,
 * faults of scripts. Not every Firefox tells its driver of a broken rule, so a script in every page
 * does.
 */
export async function watchInFirefox(page: Page, origin: string): Promise<string[]> {
  const wrong: string[] = []
  page.on("request", (request) => {
    // Firefox asks for a font of its own by a URL that holds it, which reaches nobody.
    const asked = new URL(request.url())
    if (asked.origin !== origin && !["blob:", "data:"].includes(asked.protocol))
      wrong.push(request.url())
  })
  page.on("pageerror", (error) => wrong.push(String(error)))
  page.on("console", (message) => {
    if (message.type() === "error") wrong.push(message.text())
  })
  await page.evaluateOnNewDocument(
    `addEventListener("securitypolicyviolation", ({ violatedDirective }) =>
      console.error("policy: " + violatedDirective))`,
  )
  return wrong
}

/** The value of an expression in which `element` is the first match of the selector. */
export async function ask(page: Page, selector: string, expression: string): Promise<unknown> {
  return await page.evaluate(
    `((element) => ${expression})(document.querySelector(${JSON.stringify(selector)}))`,
  )
}

export async function textOf(page: Page, selector: string): Promise<string> {
  return String(await ask(page, selector, "element.textContent"))
}

export async function isShown(page: Page, selector: string): Promise<boolean> {
  return (await ask(page, selector, "element.checkVisibility()")) === true
}

export async function type(page: Page, selector: string, text: string): Promise<void> {
  await page.focus(selector)
  await page.keyboard.type(text)
}

export async function choose(page: Page, selector: string): Promise<void> {
  await page.focus(selector)
  await page.keyboard.press(" ")
}

export async function chooseFiles(
  page: Page,
  files: readonly string[],
  selector: `input${string}` = "input#files",
): Promise<void> {
  const field = await page.$<`input${string}`>(selector)
  assert.ok(field !== null)
  await field.uploadFile(...files)
}

/** Presses a button or a link where a script answers. */
export async function press(page: Page, selector: string): Promise<void> {
  await page.focus(selector)
  await page.keyboard.press("Enter")
}

/** Presses a button or a link that leads to another page; the answer comes back. */
export async function follow(page: Page, selector: string): Promise<HTTPResponse> {
  const [response] = await Promise.all([page.waitForNavigation(), press(page, selector)])
  assert.ok(response !== null)
  return response
}

/** Waits until a script shows this part of the page, with this text where one is given. */
export async function shown(page: Page, selector: string, text = ""): Promise<void> {
  await page.waitForFunction(
    `((element) => element?.checkVisibility() && element.textContent.includes(${JSON.stringify(text)}))(
      document.querySelector(${JSON.stringify(selector)}))`,
  )
}
