import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

// Run by itself: its helper for browsers opens a second page for each run.
const require = createRequire(createRequire(import.meta.url).resolve("@axe-core/playwright"))
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8")

/** A page in any browser, by any driver. */
interface Page {
  evaluate(script: string): Promise<unknown>
}

export const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
/** What another width or other colours can change; everything else is the same document. */
export const LOOKS = [
  "color-contrast",
  "link-in-text-block",
  "target-size",
  "scrollable-region-focusable",
]

/**
 * Waits until nothing moves that comes to an end: a dialog that is still fading in has colours of
 * its own. It begins to some frames after it was asked for. Looked at frame by frame, because the
 * promise of an animation whose element goes away meanwhile may never be kept.
 */
const SETTLED = `(async () => {
  const isMoving = ({ effect, playState }) =>
    playState === "running" && effect?.getComputedTiming().endTime !== Infinity
  for (let still = 0; still < 3; still++) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    if (document.getAnimations().some(isMoving)) still = -1
  }
})()`

/** What axe finds wrong with a page: the rule and the element. */
export async function violations(
  page: Page,
  rules: readonly string[] = ALL_RULES,
): Promise<string[]> {
  await page.evaluate(SETTLED)
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe)
  const found = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ["violations"] })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 120))))`,
  )
  return found as string[]
}

/** By how many points a page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return Number(
    await page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    ),
  )
}

/** Texts in pictures that are not in the font of the page. */
export async function otherFonts(page: Page): Promise<string[]> {
  const found = await page.evaluate(
    `(() => {
      const fontOf = (element) => getComputedStyle(element).fontFamily
      return [...document.querySelectorAll("svg text")]
        .filter((text) => fontOf(text) !== fontOf(document.body))
        .map(({ textContent }) => textContent)
    })()`,
  )
  return found as string[]
}
