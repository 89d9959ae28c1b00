import { writeFile } from "node:fs/promises"

/** A page in any browser, by any driver. */
interface Page {
  screenshot(options: { fullPage: boolean }): Promise<Uint8Array>
}

/** Whether somebody looks at pictures of pages after a run. */
export const PICTURES = process.env["ASSAY_PICTURES"] === "true"

/**
 * A picture of a page for a person to look at after a run, where one is asked for: drawing a long
 * page whole and packing it takes most of a second of CPU.
 */
export async function screenshot(
  page: Page,
  path: string,
  { fullPage = true } = {},
): Promise<void> {
  if (PICTURES) await writeFile(path, await page.screenshot({ fullPage }))
}
