import { existsSync, globSync, lstatSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { TestContext } from "node:test"
import { setTimeout as delay } from "node:timers/promises"
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
  const browser = await openFirefox(preferences, profile)
  if (browser === null) context.skip(whyNoFirefox() ?? "")
  else context.after(() => browser.close())
  return browser
}

/** For the tests of a whole file, which close it; null where they do not run. */
export async function openFirefox(
  preferences: Preferences = {},
  profile?: string,
): Promise<Browser | null> {
  const executablePath = commandPath(COMMANDS)
  if (whyNoFirefox() !== null || executablePath === null) return null
  return await puppeteer.launch({
    browser: "firefox",
    executablePath,
    headless: true,
    ...(profile !== undefined && { userDataDir: profile }),
    extraPrefsFirefox: preferences,
    // A busy machine works on a proof, or on a large message, for minutes.
    protocolTimeout: 600_000,
  })
}

// What Firefox leaves on the disk.
// Long past what a busy machine needs: a file that never comes must fail a test, not hold it up.
const WRITTEN_MS = 120_000

/** Waits until Firefox has stored a session for which this is true. */
export async function untilSession(
  profile: string,
  isTrue: (session: string) => boolean,
): Promise<void> {
  const file = join(profile, "sessionstore-backups", "recovery.jsonlz4")
  const signal = AbortSignal.timeout(WRITTEN_MS)
  while (!existsSync(file) || !isTrue(sessionText(readFileSync(file))))
    await delay(50, undefined, { signal })
}

/** The files of a profile that hold one of these texts. */
export function filesWith(profile: string, texts: readonly string[]): string[] {
  return globSync("**", { cwd: profile }).filter((name) => {
    const file = join(profile, name)
    // The running browser marks its profile with a link to nowhere, and files of its own come and
    // go.
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false
    const bytes = readFileSync(file)
    const whole = name.endsWith("lz4") ? Buffer.from(sessionText(bytes)) : bytes
    return texts.some((text) =>
      (["utf8", "utf16le"] as const).some((encoding) => whole.includes(text, 0, encoding)),
    )
  })
}

/**
 * The text of a file in which Firefox keeps what it needs to open a session again: eight bytes of a
 * name, four of a length, then one block of LZ4, in which whatever occurs twice is a reference
 * back.
 */
function sessionText(file: Uint8Array): string {
  const text: number[] = []
  let at = 12
  const next = (): number => file[at++] ?? 0
  const length = (nibble: number): number => {
    let sum = nibble
    for (let more = nibble === 15; more;) {
      const byte = next()
      sum += byte
      more = byte === 255
    }
    return sum
  }
  while (at < file.length) {
    const token = next()
    const literals = length(token >> 4)
    text.push(...file.subarray(at, at + literals))
    at += literals
    // The last sequence has no reference.
    if (at >= file.length) break
    const distance = next() + 256 * next()
    const copied = length(token & 15) + 4
    for (let n = 0; n < copied; n++) text.push(text.at(-distance) ?? 0)
  }
  return Buffer.from(text).toString("utf8")
}
