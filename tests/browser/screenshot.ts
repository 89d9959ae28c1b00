import type { Page } from "playwright-core"

/**
 * A picture of a page for a person to look at after a run. None is made with CI=true, where nobody
 * does: drawing a long page whole and packing it takes most of a second of CPU.
 */
export async function screenshot(
  page: Page,
  path: string,
  { fullPage = true } = {},
): Promise<void> {
  if (process.env["CI"] !== "true") await page.screenshot({ path, fullPage })
}
