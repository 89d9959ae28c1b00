import { writeFile } from "node:fs/promises"

/** A page in any browser, by any driver. */
interface Page {
  screenshot(options: { fullPage: boolean }): Promise<Uint8Array>
}

/**
 * A picture of a page for a person to look at after a run. None is made with CI=true, where nobody
 * does: drawing a long page whole and packing it takes most of a second of CPU.
 */
export async function screenshot(
  page: Page,
  path: string,
  { fullPage = true } = {},
): Promise<void> {
  if (process.env["CI"] !== "true") await writeFile(path, await page.screenshot({ fullPage }))
}
