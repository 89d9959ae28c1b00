import type { TestContext } from "node:test"
import puppeteer, { type Browser } from "puppeteer-core"
import { commandPath } from "./command-path.ts"

// Debian's name, for the release that Tor Browser is made from, and the name on other systems.
const COMMANDS = ["firefox-esr", "firefox"]

/** Settings as `about:config` names them. */
export type Preferences = Readonly<Record<string, boolean | number | string>>

/**
 * Why the tests in Firefox do not run; null when they do. They belong to the soak and are never
 * required: what they show in a second browser, Chromium decides in every run.
 */
export function whyNoFirefox(): string | null {
  if (process.env.ASSAY_SOAK === undefined) return "in soak only"
  return commandPath(COMMANDS) === null ? `no ${COMMANDS.join(" or ")} on this machine` : null
}

/**
 * Starts the machine's Firefox and closes it after the test; or skips the test, and null comes
 * back. Its profile is a new one that goes with it, or in the folder given.
 */
export async function launchFirefox(
  context: TestContext,
  preferences: Preferences = {},
  profile?: string,
): Promise<Browser | null> {
  const [reason, executablePath] = [whyNoFirefox(), commandPath(COMMANDS)]
  if (reason !== null || executablePath === null) {
    context.skip(reason ?? "")
    return null
  }
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath,
    headless: true,
    ...(profile !== undefined && { userDataDir: profile }),
    extraPrefsFirefox: preferences,
    // A busy machine works on a proof, or on a large message, for minutes.
    protocolTimeout: 600_000,
  })
  context.after(() => browser.close())
  return browser
}
