// The browser that the test files of a process share. What is no test starts one by chromium.ts.
import { after, type TestContext } from "node:test"
import type { Browser } from "playwright-core"
import { isPresent, openChromium } from "./chromium.ts"

/**
 * The machine's Chromium for one test, after which nothing is open in it. Where there is none the
 * test is skipped and null comes back; with CI=true that is a failure instead. With flags it is one
 * of the test's own.
 */
export async function launchChromium(
  context: TestContext,
  flags: readonly string[] = [],
): Promise<Browser | null> {
  if (!isPresent(context)) return null
  const isOwn = flags.length > 0
  const browser = isOwn ? await openChromium(flags) : await sharedChromium()
  if (browser !== null) context.after(() => (isOwn ? browser.close() : closePages(browser)))
  return browser
}

let shared: Promise<Browser | null> | undefined

/**
 * One for all files of a process, which ends with it; null where there is none. Starting a browser
 * takes a second of a core, and visitors in contexts of their own have nothing in common in it.
 */
export async function sharedChromium(): Promise<Browser | null> {
  return await (shared ??= openChromium())
}
after(() => shared?.then((browser) => browser?.close()))

/** A page that stays open goes on asking, and drawing what it is told. */
export async function closePages(browser: Browser | null): Promise<void> {
  for (const each of browser?.contexts() ?? []) await each.close()
}
