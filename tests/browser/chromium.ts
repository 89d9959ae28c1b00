import type { TestContext } from "node:test"
import { chromium, type Browser, type BrowserContext } from "playwright-core"
import { commandPath } from "./command-path.ts"

// Debian's names: the part of the browser that has no window, or the whole of it.
const COMMANDS = ["chromium-headless-shell", "chromium"]

/**
 * Every window would else load two pages of the browser's own, for suggestions below the address
 * bar, and every visit a process for a next page that is never opened: half the work of a window.
 */
const UNSEEN = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess"]

/** What Playwright turns off: of two such flags the browser heeds the last. */
const OFF_BY_PLAYWRIGHT = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
]

const FLAGS = [
  "--headless",
  // Chromium refuses to start as root with its sandbox, and tests open only pages of our own.
  "--no-sandbox",
  "--disable-gpu",
  // The rest keeps the browser from opening connections of its own, so that each request a test
  // sees is one the page made.
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${[...OFF_BY_PLAYWRIGHT, ...UNSEEN].join()}`,
]

/** A page that is not there by then is not coming, however busy the machine is. */
const PATIENCE_MS = 120_000

/** A browser of its own, which whoever asked for it closes; null where there is none. */
export async function openChromium(flags: readonly string[] = []): Promise<Browser | null> {
  const executablePath = commandPath(COMMANDS)
  if (executablePath === null) return null
  const browser = await chromium.launch({ executablePath, args: [...FLAGS, ...flags] })
  browser.on("context", (context) => context.setDefaultTimeout(PATIENCE_MS))
  return browser
}

/** The same browser with a profile on the disk, for tests of what a visit leaves there. */
export async function launchChromiumProfile(
  context: TestContext,
  profile: string,
): Promise<BrowserContext | null> {
  const executablePath = commandPath(COMMANDS)
  if (!isPresent(context) || executablePath === null) return null
  const own = await chromium.launchPersistentContext(profile, { executablePath, args: FLAGS })
  own.setDefaultTimeout(PATIENCE_MS)
  return own
}

/** Skips the test where there is no Chromium. */
export function isPresent(context: TestContext): boolean {
  if (commandPath(COMMANDS) !== null) return true
  const reason = `no ${COMMANDS.join(" or ")} on this machine`
  if (process.env.CI === "true") throw new Error(reason)
  context.skip(reason)
  return false
}
